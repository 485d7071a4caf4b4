//! Draw rules inside the tree.

use rules::{Color, Game, Variant};
use search::{Batch, Evaluator, EvaluatorError, Proof, SearchConfig, Stop};
use types::Wdl;

use crate::support::{Hashed, random_game};
use crate::{PLAY, PUCT, game_from, search};

/// Kings that can move back and forth forever.
const SHUFFLE: [&str; 4] = ["32-27", "1-6", "27-32", "6-1"];

/// Prefers the moves of `SHUFFLE` and gives White the same value everywhere.
struct Shuffler {
    for_white: Wdl,
    /// The logit of the moves of `SHUFFLE`; all others have 0.
    logit: f32,
}

impl Evaluator for Shuffler {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let (request, reply) = batch.entry_mut(index);
            let white_to_move = request.position.turn() == Color::White;
            *reply.value = if white_to_move {
                self.for_white
            } else {
                self.for_white.flipped()
            };
            for (logit, &mv) in reply.logits.iter_mut().zip(request.moves) {
                let shuffles = SHUFFLE.contains(&request.position.move_text(mv).as_str());
                *logit = if shuffles { self.logit } else { 0.0 };
            }
        }
        Ok(())
    }
}

fn after_shuffling(plies: usize) -> Game {
    let mut game = game_from(Variant::English, "W:WK32:BK1:H0:F1");
    for text in SHUFFLE.iter().cycle().take(plies) {
        let mv = game.position().parse_move(text).expect("a legal move");
        game.play(mv);
    }
    game
}

/// A single line: the position at its end has an exact value and is never evaluated.
#[test]
fn repetitions_count_on_the_path_and_in_the_game() {
    let config = SearchConfig {
        max_considered: 1,
        ..PLAY
    };
    let mut evaluator = Shuffler {
        for_white: Wdl::DRAW,
        logit: 200.0,
    };
    for (plies_before, plies_to_draw) in [(0, 8), (1, 7), (3, 5), (4, 4), (6, 2)] {
        let game = after_shuffling(plies_before);
        let result = search(config, &game, 50, &mut evaluator);
        assert_eq!(
            (u64::from(result.depth), result.evaluations),
            (plies_to_draw, plies_to_draw)
        );
        assert_eq!((result.simulations, result.proof), (50, None));
    }
}

#[test]
fn the_losing_side_takes_the_repetition() {
    let game = after_shuffling(7);
    let repeat = game.position().parse_move("6-1").unwrap();
    let mut evaluator = Shuffler {
        for_white: Wdl {
            win: 0.6,
            draw: 0.0,
            loss: 0.4,
        },
        logit: 0.0,
    };
    for config in [PLAY, PUCT] {
        let result = search(config, &game, 40, &mut evaluator);
        assert!(game.legal_moves()[result.best] == repeat, "{result:?}");
        assert_eq!(result.q[result.best], 0.5);
        // Trying other moves does not change the value of the position.
        let value = result.value.expect("the position was evaluated");
        assert!(value.draw > 0.95 || config == PUCT, "{result:?}");
        // A player that dislikes draws more than this disadvantage plays on.
        let config = SearchConfig {
            draw_score: -0.5,
            ..config
        };
        let result = search(config, &game, 40, &mut evaluator);
        assert!(game.legal_moves()[result.best] != repeat, "{result:?}");
    }
}

/// Splits the draws of `Hashed` into wins and losses, which is how a draw score counts them.
struct DrawsShared {
    draw_score: f32,
    /// The player to whom the draw score applies.
    player: Color,
}

impl Evaluator for DrawsShared {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        Hashed.evaluate(batch)?;
        for index in 0..batch.len() {
            let (request, reply) = batch.entry_mut(index);
            let is_player = request.position.turn() == self.player;
            let draw_score = if is_player {
                self.draw_score
            } else {
                -self.draw_score
            };
            let Wdl { win, draw, loss } = *reply.value;
            *reply.value = Wdl {
                win: win + draw * (1.0 + draw_score) / 2.0,
                draw: 0.0,
                loss: loss + draw * (1.0 - draw_score) / 2.0,
            };
        }
        Ok(())
    }
}

#[test]
fn a_draw_score_is_a_mixture_of_win_and_loss() {
    for config in [PLAY, PUCT] {
        for (seed, draw_score) in [(1, -0.5), (2, 0.5), (3, -1.0), (4, 0.25)] {
            let game = random_game(Variant::Thai, 6, seed);
            let player = game.position().turn();
            let scored = search(
                SearchConfig {
                    draw_score,
                    ..config
                },
                &game,
                64,
                &mut Hashed,
            );
            let shared = search(config, &game, 64, &mut DrawsShared { draw_score, player });
            assert_eq!((scored.visits, scored.best), (shared.visits, shared.best));
            for (a, b) in scored.q.iter().zip(shared.q) {
                assert!((a - b).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn the_last_ply_without_progress_draws() {
    let game = game_from(Variant::English, "W:WK32:BK1:H79:F60");
    let mut evaluator = Shuffler {
        for_white: Wdl::WIN,
        logit: 0.0,
    };
    let result = search(PLAY, &game, 40, &mut evaluator);
    assert_eq!(
        (result.proof, result.stop),
        (Some(Proof::Draw), Some(Stop::Proven))
    );
    assert_eq!(
        (result.value, result.evaluations, result.simulations),
        (Some(Wdl::DRAW), 1, 2)
    );
}
