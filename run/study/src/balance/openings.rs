//! The tree of the first moves.

use ratings::{Counts, Estimate};
use rules::{Game, Position, Variant};
use serde::Serialize;

use super::trace::StudiedGame;

/// Plies of the longest lines.
const PLIES: usize = 4;
/// A line that is longer than a first move is in the tree if one game in this many begins with it.
const RARE: usize = 20;
/// The fewest games that begin with such a line.
const FEWEST: usize = 5;

/// The first moves of games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningLine {
    /// The moves.
    pub moves: Vec<String>,
    /// Games that begin with them.
    pub games: u64,
    /// Their share of all games.
    pub share: f64,
    /// The score of the side that moves first in these games.
    pub score: Option<Estimate>,
    /// The score that the player's search expects for this side; `None` if it has no value.
    pub value: Option<f32>,
}

/// The lines of games from the start position, each before its continuations, popular ones first:
/// all first moves, and longer lines that one game in twenty, and five games, begin with.
pub(super) fn opening_lines(variant: Variant, games: &[StudiedGame]) -> Vec<(Game, OpeningLine)> {
    let start = Position::start(variant);
    let games = games.iter();
    let games = games.filter(|studied| *studied.game.start() == start);
    let (games, mut lines) = (games.collect::<Vec<_>>(), Vec::new());
    grow(&Game::new(start), &[], &games, games.len(), &mut lines);
    lines
}

fn grow(
    at: &Game,
    moves: &[String],
    games: &[&StudiedGame],
    all: usize,
    lines: &mut Vec<(Game, OpeningLine)>,
) {
    let (ply, fewest) = (moves.len(), all.div_ceil(RARE).max(FEWEST));
    let legal = at.legal_moves();
    let mut next: Vec<_> = legal
        .iter()
        .map(|mv| {
            let games = games.iter().copied();
            let played = games.filter(|one| one.game.moves().get(ply) == Some(mv));
            (mv, played.collect::<Vec<&StudiedGame>>())
        })
        .filter(|(_, games)| ply == 0 || games.len() >= fewest)
        .collect();
    next.sort_by_key(|(_, games)| std::cmp::Reverse(games.len()));
    for (mv, games) in next {
        let mut counts = Counts::default();
        for studied in &games {
            if let Some(result) = studied.result {
                counts.add(result.half_points(at.start().turn()));
            }
        }
        let moves = [moves, &[at.position().move_text(*mv)]].concat();
        let mut after = at.clone();
        after.play(*mv);
        let line = OpeningLine {
            games: games.len() as u64,
            share: games.len() as f64 / all.max(1) as f64,
            score: Estimate::score(&counts),
            value: None,
            moves: moves.clone(),
        };
        lines.push((after.clone(), line));
        if moves.len() < PLIES && games.len() >= fewest {
            grow(&after, &moves, &games, all, lines);
        }
    }
}
