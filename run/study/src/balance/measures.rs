//! Measures of a set of games.

use std::collections::HashSet;

use ratings::{Counts, Estimate};
use rules::Move;
use serde::Serialize;

use super::kings::{KingValue, king_values};
use super::trace::{StudiedGame, Trace};

/// The numbers of legal moves are averaged by ply while one game in this many lasts.
const LASTING: u64 = 10;

/// Measures of games. Estimates of plies and moves are means over games, in which each game counts
/// the same; they are `None` for fewer than five games or equal values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Games.
    pub games: u64,
    /// Games without a result.
    pub unfinished: u64,
    /// Different games.
    pub distinct: u64,
    /// The results of the side that moves first.
    pub first: Counts,
    /// Its mean score.
    pub score: Option<Estimate>,
    /// The share of finished games that were drawn.
    pub draws: Option<Estimate>,
    /// Plies of a finished game.
    pub plies: Option<Estimate>,
    /// Legal moves of a position.
    pub moves: Option<Estimate>,
    /// The share of positions with a single legal move.
    pub forced: Option<Estimate>,
    /// The share of moves that capture.
    pub captures: Option<Estimate>,
    /// By ply: the mean number of legal moves, while one game in ten lasts.
    pub moves_by_ply: Vec<f64>,
    /// The first lead in pieces.
    pub lead: Lead,
    /// The value of a king by the phase of the game.
    pub kings: Vec<KingValue>,
}

/// The first lead of a finished game: the first position where one side has more pieces than the
/// other and the side to move cannot capture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// The results of the sides that were the first to lead.
    pub leaders: Counts,
    /// The share of games in which a side led.
    pub games: Option<Estimate>,
    /// The score of these sides.
    pub score: Option<Estimate>,
    /// The share of all games that the first leader won: results that material predicted.
    pub predicted: Option<Estimate>,
}

/// Measures games.
pub(super) fn measure(games: &[StudiedGame]) -> Measures {
    let traces: Vec<Trace> = games.iter().map(Trace::new).collect();
    let (mut first, mut leaders) = (Counts::default(), Counts::default());
    for trace in &traces {
        if let Some(result) = trace.result {
            first.add(result.half_points(trace.start.turn()));
            let led = trace.leader.map(|leader| result.half_points(leader));
            led.into_iter().for_each(|points| leaders.add(points));
        }
    }
    let finished = first.games();
    let mean = |value: &dyn Fn(&Trace) -> Option<f64>| {
        Estimate::mean(&traces.iter().filter_map(value).collect::<Vec<f64>>())
    };
    let share = |trace: &Trace, n: usize| {
        let plies = trace.n_moves.len();
        (plies > 0).then(|| n as f64 / plies as f64)
    };
    let mut seen: HashSet<(String, &[Move])> = HashSet::new();
    let games_and_traces = games.iter().zip(&traces);
    let distinct: Vec<&Trace> = games_and_traces
        .filter(|(one, _)| seen.insert((one.game.start().to_fen(), one.game.moves())))
        .map(|(_, trace)| trace)
        .collect();
    Measures {
        games: games.len() as u64,
        unfinished: games.len() as u64 - finished,
        distinct: distinct.len() as u64,
        score: Estimate::score(&first),
        draws: Estimate::share(first.draws, finished),
        plies: mean(&|trace| trace.result.map(|_| trace.n_moves.len() as f64)),
        moves: mean(&|trace| share(trace, trace.n_moves.iter().sum())),
        forced: mean(&|trace| share(trace, trace.n_moves.iter().filter(|n| **n == 1).count())),
        captures: mean(&|trace| share(trace, trace.captures)),
        moves_by_ply: moves_by_ply(&traces),
        lead: Lead {
            games: Estimate::share(leaders.games(), finished),
            score: Estimate::score(&leaders),
            predicted: Estimate::share(leaders.wins, finished),
            leaders,
        },
        kings: king_values(&distinct),
        first,
    }
}

fn moves_by_ply(traces: &[Trace]) -> Vec<f64> {
    let at = |ply: usize| {
        let moves = traces.iter().filter_map(|trace| trace.n_moves.get(ply));
        let (sum, n) = moves.fold((0, 0), |(sum, n), moves| (sum + moves, n + 1));
        let is_lasting = n > 0 && n * LASTING >= traces.len() as u64;
        is_lasting.then(|| sum as f64 / n as f64)
    };
    (0..).map_while(at).collect()
}
