//! Relabeling: deeper search scores for the training positions.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use alphabeta::{AlphaBetaSearch, Evaluation, Limits};
use rayon::prelude::*;
use rules::{Game, Position};

use crate::examples::Examples;
use crate::play::{best_line, new_search};

/// The number of positions per parallel group.
const POSITIONS_AT_ONCE: usize = 256;
/// The number of consecutive positions per task.
const POSITIONS_IN_A_ROW: usize = 16;
/// The transposition table of a search, cleared for each position.
const TABLE_BYTES: usize = 1 << 20;

/// The positions to search.
#[derive(Clone, Copy)]
pub struct ScoreJob<'a> {
    /// All positions: the training examples, then the held-out ones.
    pub examples: &'a Examples,
    /// The index of the first position to search.
    pub first: usize,
    /// The search depth in plies.
    pub depth: u32,
}

/// See [`Teacher::search_scores`](crate::Teacher::search_scores).
pub(crate) fn search_scores<E: Evaluation + Clone>(
    job: ScoreJob<'_>,
    evaluation: &E,
    stop: &AtomicBool,
    mut sink: impl FnMut(&[i16]) -> ControlFlow<()>,
) {
    let search = || new_search(evaluation, TABLE_BYTES);
    let ScoreJob {
        examples,
        first,
        depth,
    } = job;
    let mut rest = examples.all().skip(first);
    loop {
        let part: Vec<Position> = rest
            .by_ref()
            .take(POSITIONS_AT_ONCE)
            .map(|example| example.position(examples.variant))
            .collect();
        if part.is_empty() {
            return;
        }
        let scores: Vec<i16> = part
            .par_chunks(POSITIONS_IN_A_ROW)
            .map_init(search, |search, row| {
                let score = |position| score(search, position, depth, stop);
                row.iter().map(score).collect::<Vec<i16>>()
            })
            .flatten_iter()
            .collect();
        if stop.load(Ordering::Relaxed) || sink(&scores).is_break() {
            return;
        }
    }
}

/// The score of a position for the side to move; meaningless once `stop` is set.
fn score<E: Evaluation>(
    search: &mut AlphaBetaSearch<E>,
    position: &Position,
    depth: u32,
    stop: &AtomicBool,
) -> i16 {
    search.forget(u64::MAX);
    let limits = Limits {
        depth,
        ..Limits::NONE
    };
    let is_over = |_| stop.load(Ordering::Relaxed);
    let line = best_line(search, &Game::new(*position), &limits, &is_over);
    // Every example was followed by a move, so there is a line.
    line.map_or(0, |line| line.score as i16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alphabeta::{MaterialBalance, Observer, Resources};
    use std::collections::HashMap;
    use std::ops::Range;

    use rules::{Color, Setup, Variant};
    use search::random_opening;
    use store::{GameId, Header, Ply, Record, RecordedSearch};
    use types::Seed;

    use crate::config::Config;
    use crate::examples::Collector;
    use crate::quiet::is_quiet;

    const DEPTH: u32 = 3;
    /// Game number 20 is held out.
    const GAMES: Range<u32> = 1..31;

    fn record(variant: Variant, number: u32) -> Record {
        let rng = &mut Seed::new(5).derive("relabel", &[number.into()]).rng();
        let start = Position::start(variant);
        let game = random_opening(start, 60, rng);
        let ply = |&mv| Ply {
            mv,
            search: RecordedSearch::Forced { value: None },
        };
        Record {
            header: Header {
                variant,
                rules_version: variant.rules_version(),
                seed: 5,
                id: GameId {
                    generation: 1,
                    number,
                },
                network: String::new(),
                config_hash: 0,
            },
            start,
            plies: game.moves().iter().map(ply).collect(),
            result: Some(rules::Outcome::Draw(rules::DrawReason::Adjudicated)),
        }
    }

    fn examples(variant: Variant) -> Examples {
        let mut collector = Collector::new(variant, &Config::DEFAULT);
        for number in GAMES {
            collector.add(&record(variant, number));
        }
        collector.finish(&Config::DEFAULT)
    }

    fn scores(examples: &Examples, first: usize, threads: usize) -> Vec<i16> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut all = Vec::new();
        pool.build().unwrap().install(|| {
            let never = AtomicBool::new(false);
            let job = ScoreJob {
                examples,
                first,
                depth: DEPTH,
            };
            search_scores(job, &MaterialBalance, &never, |scores| {
                all.extend_from_slice(scores);
                ControlFlow::Continue(())
            });
        });
        all
    }

    /// The quiet positions of the games for the side to move, with draw counters at 0.
    fn fresh_positions(variant: Variant) -> Vec<Position> {
        let mut positions = Vec::new();
        for record in GAMES.map(|number| record(variant, number)) {
            let mut position = record.start;
            for ply in &record.plies {
                let as_white = match position.turn() {
                    Color::White => position,
                    Color::Black => position.turned(),
                };
                let setup = Setup {
                    full_move: 1,
                    ..as_white.setup()
                };
                if setup.no_progress == 0 && setup.king_rests == [None; 2] && is_quiet(&position) {
                    positions.push(Position::new(variant, &setup).unwrap());
                }
                position = position.play(ply.mv);
            }
        }
        positions
    }

    #[test]
    fn scores_are_those_of_a_direct_search_whoever_searches() {
        for variant in Variant::ALL {
            let examples = examples(variant);
            assert!(examples.n_positions() > POSITIONS_AT_ONCE, "{variant}");
            let found = scores(&examples, 0, 1);
            assert_eq!(scores(&examples, 0, 2), found, "{variant}");
            assert_eq!(scores(&examples, 100, 2), found[100..], "{variant}");
            let positions = examples
                .all()
                .map(|example| example.position(variant).to_string());
            let found: HashMap<String, i16> = positions.zip(found).collect();
            let fresh = fresh_positions(variant);
            assert!(fresh.len() > 100, "{variant}");
            for position in fresh.into_iter().step_by(9) {
                let resources = Resources {
                    table_bytes: TABLE_BYTES,
                    threads: 1,
                };
                let mut observer = Observer {
                    is_over: &|_| false,
                    report: &mut |_| ControlFlow::Continue(()),
                };
                let limits = Limits {
                    depth: DEPTH,
                    ..Limits::NONE
                };
                let direct = AlphaBetaSearch::new(MaterialBalance, &resources)
                    .analyse(&Game::new(position), &limits, &mut observer)
                    .unwrap();
                assert_eq!(
                    i32::from(found[&position.to_string()]),
                    direct.lines[0].score,
                    "{position}"
                );
            }
        }
    }

    #[test]
    fn scores_take_the_place_of_recorded_values() {
        let config = Config {
            value_share: 1.0,
            ..Config::DEFAULT
        };
        let mut examples = examples(Variant::Thai);
        let n = examples.n_positions() as i16;
        // All games are drawn, so even scores have no bias.
        let scores: Vec<i16> = (0..n)
            .map(|i| [-100, 100, 0, 30_000, -30_000][i as usize % 5])
            .collect();
        let results: Vec<f32> = examples.all().map(|example| example.target).collect();
        assert!(results.iter().all(|target| *target == 0.5));
        examples.relabel(&scores, &config);
        let bias = examples.summary.value_bias;
        assert!(bias.iter().all(|bias| bias.abs() < 0.2), "{bias:?}");
        let shape = nnue::Shape::of(Variant::Thai);
        for (example, score) in examples.all().zip(scores) {
            let value = match score {
                100 => 0.731_058_6,
                -100 => 0.268_941_4,
                0 => 0.5,
                score => f32::from(score > 0),
            };
            let expected: f32 = value - bias[shape.bucket(example.n_pieces())];
            assert!((example.target - expected.clamp(0.0, 1.0)).abs() < 1e-6);
        }
    }
}
