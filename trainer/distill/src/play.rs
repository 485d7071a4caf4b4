//! Games of alpha-beta self-play, as training data.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use alphabeta::{
    AlphaBetaSearch, Evaluation, LOGIT, Limits, Observer, Resources, ScoredLine, is_decided,
};
use engine::hub::value_of_score;
use rayon::prelude::*;
use rules::{DrawReason, Game, Outcome, Position, WinReason};
use search::random_opening;
use serde::{Deserialize, Serialize};
use store::{GameId, Header, Ply, Record, RecordedSearch, Wdl8};
use types::{Seed, Wdl};

/// The number of games per parallel group: enough to make waiting for the last one cheap, few
/// enough to react to a stop within about a second.
const GAMES_AT_ONCE: usize = 64;
/// The transposition table of a game: larger than such short searches can fill.
const TABLE_BYTES: usize = 8 << 20;
/// The maximum number of openings drawn to find one that is not decided.
const OPENINGS_TRIED: u64 = 20;
/// The maximum number of random plies at the start; the number is random as well.
const OPENING_PLIES: u32 = 12;
/// An opening is drawn again if the search score of either side exceeds this: scores as in
/// [`alphabeta`].
const OPENING_MARGIN: i32 = 200;
/// A game is adjudicated a draw after this many plies without progress if neither side is ahead by
/// more than [`DRAW_MARGIN`].
const DRAW_PLIES: u32 = 20;
/// See [`DRAW_PLIES`].
const DRAW_MARGIN: i32 = 30;
/// The number of plies after which a game ends without a result.
const MAX_PLIES: u32 = 400;

/// Settings of the games. Older versions also recorded values that are constants now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayConfig {
    /// Games per round.
    pub games: u32,
    /// Positions visited by the search of a move.
    pub nodes: u64,
}

impl PlayConfig {
    /// Takes a few minutes on two cores.
    pub const DEFAULT: PlayConfig = PlayConfig {
        games: 20_000,
        nodes: 1_000,
    };

    fn limits(&self) -> Limits {
        Limits {
            nodes: self.nodes,
            ..Limits::NONE
        }
    }
}

/// The games to play.
#[derive(Clone, Copy, Debug)]
pub struct PlayJob<'a> {
    /// The header of all records; each game fills in its number.
    pub header: &'a Header,
    /// The numbers of the games.
    pub numbers: &'a [u32],
    /// The settings.
    pub config: &'a PlayConfig,
}

/// See [`Teacher::play_games`](crate::Teacher::play_games).
pub(crate) fn play_games<E: Evaluation + Clone>(
    job: PlayJob<'_>,
    evaluation: &E,
    stop: &AtomicBool,
    mut sink: impl FnMut(Record) -> ControlFlow<()>,
) {
    let search = || new_search(evaluation, TABLE_BYTES);
    for numbers in job.numbers.chunks(GAMES_AT_ONCE) {
        let records: Vec<Record> = numbers
            .par_iter()
            .with_max_len(1)
            .map_init(search, |search, &number| play_game(search, job, number))
            .collect();
        for record in records {
            if sink(record).is_break() {
                return;
            }
        }
        if stop.load(Ordering::Relaxed) {
            return;
        }
    }
}

/// Plays one game.
fn play_game<E: Evaluation>(
    search: &mut AlphaBetaSearch<E>,
    PlayJob { header, config, .. }: PlayJob<'_>,
    number: u32,
) -> Record {
    // No state from other games may remain. The searches of one game share the table, as in any
    // game.
    search.forget(8 * config.nodes);
    let id = GameId {
        number,
        ..header.id
    };
    let mut game = open(search, config, header, id);
    let random = |&mv| Ply {
        mv,
        search: RecordedSearch::Opening,
    };
    let mut plies: Vec<Ply> = game.moves().iter().map(random).collect();
    let mut result = game.outcome();
    while result.is_none() && game.plies() < MAX_PLIES {
        let legal = game.legal_moves();
        let ply = if let [mv] = legal[..] {
            let search = RecordedSearch::Forced { value: None };
            Ply { mv, search }
        } else if let Some(line) = best_line(search, &game, &config.limits(), &|_| false) {
            result = adjudicated(game.position(), line.score);
            let search = RecordedSearch::Fast {
                value: value(line.score),
            };
            let mv = line.moves[0];
            Ply { mv, search }
        } else {
            break;
        };
        game.play(ply.mv);
        plies.push(ply);
        result = game.outcome().or(result);
    }
    Record {
        header: Header {
            id,
            ..header.clone()
        },
        start: *game.start(),
        plies,
        result,
    }
}

/// Adjudicates a game whose outcome is known or no longer instructive: a forced win, or a draw that
/// is not expected to change.
fn adjudicated(position: &Position, score: i32) -> Option<Outcome> {
    let mover = position.turn();
    match score {
        _ if is_decided(score) && score > 0 => Some(Outcome::Win(mover, WinReason::Adjudicated)),
        _ if is_decided(score) => Some(Outcome::Win(!mover, WinReason::Adjudicated)),
        _ if position.no_progress() < DRAW_PLIES => None,
        _ if score.abs() > DRAW_MARGIN => None,
        _ => Some(Outcome::Draw(DrawReason::Adjudicated)),
    }
}

/// Starts a game from a random opening that is not decided.
fn open<E: Evaluation>(
    search: &mut AlphaBetaSearch<E>,
    config: &PlayConfig,
    header: &Header,
    id: GameId,
) -> Game {
    let seed = Seed::new(header.seed);
    let path = [id.generation.into(), id.number.into()];
    let mut game = Game::new(Position::start(header.variant));
    for attempt in 0..OPENINGS_TRIED {
        let rng = &mut seed.derive("distill", &[path[0], path[1], attempt]).rng();
        game = random_opening(*game.start(), OPENING_PLIES, rng);
        let line = best_line(search, &game, &config.limits(), &|_| false);
        if line.is_some_and(|line| line.score.abs() <= OPENING_MARGIN) {
            break;
        }
    }
    game
}

/// A search on one thread.
pub(crate) fn new_search<E: Evaluation + Clone>(
    evaluation: &E,
    table_bytes: usize,
) -> AlphaBetaSearch<E> {
    let resources = Resources {
        table_bytes,
        threads: 1,
    };
    AlphaBetaSearch::new(evaluation.clone(), &resources)
}

/// The principal variation of a search, which ends early if `is_over`; `None` if the game is over.
pub(crate) fn best_line<E: Evaluation>(
    search: &mut AlphaBetaSearch<E>,
    game: &Game,
    limits: &Limits,
    is_over: &(dyn Fn(u64) -> bool + Sync),
) -> Option<ScoredLine> {
    let mut observer = Observer {
        is_over,
        report: &mut |_| ControlFlow::Continue(()),
    };
    let analysis = search.analyse(game, limits, &mut observer)?;
    analysis.lines.into_iter().next()
}

/// Converts a score to a value for the side to move.
fn value(score: i32) -> Wdl8 {
    let value = value_of_score(score as f32 / LOGIT as f32).unwrap_or(Wdl::DRAW);
    Wdl8::new([value.win, value.draw, value.loss])
}

#[cfg(test)]
mod tests {
    use super::*;
    use alphabeta::MaterialBalance;
    use rules::Variant;

    fn header(variant: Variant) -> Header {
        Header {
            variant,
            rules_version: variant.rules_version(),
            seed: 7,
            id: GameId {
                generation: 1,
                number: 0,
            },
            network: "material".to_owned(),
            config_hash: 0,
        }
    }

    const CONFIG: PlayConfig = PlayConfig {
        nodes: 60,
        ..PlayConfig::DEFAULT
    };

    fn play(variant: Variant, numbers: &[u32], threads: usize) -> Vec<Record> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut records = Vec::new();
        pool.build().unwrap().install(|| {
            let job = PlayJob {
                header: &header(variant),
                numbers,
                config: &CONFIG,
            };
            let never = AtomicBool::new(false);
            play_games(job, &MaterialBalance, &never, |record| {
                records.push(record);
                ControlFlow::Continue(())
            });
        });
        records
    }

    #[test]
    fn games_are_whole_and_depend_on_their_numbers_alone() {
        for variant in Variant::ALL {
            let records = play(variant, &[0, 1, 5], 2);
            assert_eq!(
                records,
                [play(variant, &[0, 1], 1), play(variant, &[5], 1)].concat()
            );
            for record in &records {
                let bytes = record.encode().unwrap();
                assert_eq!(&Record::decode(&bytes).unwrap(), record);
                let is_whole = record.plies.len() < MAX_PLIES as usize;
                assert_eq!(record.result.is_some(), is_whole, "{variant}");
            }
            assert_ne!(records[0].plies, records[1].plies);
        }
    }

    #[test]
    fn most_openings_are_balanced() {
        let numbers: Vec<u32> = (0..20).collect();
        let records = play(Variant::English, &numbers, 1);
        let is_balanced = |record: &&Record| {
            let first = record.plies.iter().find_map(|ply| ply.search.value());
            first.is_none_or(|value| {
                let [win, _, loss] = value.probabilities();
                (win - loss).abs() < 0.8
            })
        };
        assert_eq!(records.iter().filter(is_balanced).count(), records.len());
        let n_random = |record: &Record| {
            let is_random = |ply: &&Ply| matches!(ply.search, RecordedSearch::Opening);
            record.plies.iter().filter(is_random).count()
        };
        assert!(records.iter().any(|record| n_random(record) > 8));
        assert!(records.iter().any(|record| n_random(record) < 4));
    }

    #[test]
    fn values_are_expected_results() {
        let mean = |score| {
            let [win, draw, _] = value(score).probabilities();
            win + draw / 2.0
        };
        assert_eq!([0, 30_000, -30_000].map(mean), [0.5, 1.0, 0.0]);
        assert!((mean(100) - 0.731).abs() < 0.003);
        assert!((mean(-100) - 0.269).abs() < 0.003);
    }
}
