//! Compares scores of single positions with their definition.

use crate::support::random_game;
use alphabeta::{Evaluation, LeafScorer, WIN};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Outcome, Position, Variant};

/// A score that differs from position to position; its state counts the evaluations that it went
/// through, which must not matter.
struct Hashed;

impl Evaluation for Hashed {
    type State = u32;

    fn state(&self) -> u32 {
        0
    }

    fn evaluate(&self, position: &Position, near: &u32, state: &mut u32) -> i32 {
        *state = near + 1;
        (position.hash() % 401) as i32 - 200
    }
}

/// The value of a position without pruning, all moves on the first ply and only captures after it.
fn value(position: &Position, is_first: bool) -> i32 {
    let moves = position.legal_moves();
    match position.outcome_with(!moves.is_empty(), 0) {
        Some(Outcome::Win(winner, _)) => {
            return if winner == position.turn() { WIN } else { -WIN };
        }
        Some(Outcome::Draw(_)) if !is_first => return 0,
        _ => {}
    }
    let can_capture = moves.iter().any(|mv| mv.is_capture());
    let must_capture = can_capture && position.variant().rules().capture_is_mandatory;
    let replies = moves.iter().filter(|mv| is_first || mv.is_capture());
    let replies = replies.map(|mv| -value(&position.play(*mv), false));
    let standing = (!is_first && !must_capture).then(|| Hashed.evaluate(position, &0, &mut 0));
    replies.chain(standing).max().expect("a legal move")
}

#[test]
fn a_score_is_that_of_the_best_move_after_all_captures() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut scorer = LeafScorer::new(Hashed);
    for variant in Variant::ALL {
        for _ in 0..200 {
            let game = random_game(variant, 120, rng);
            let (position, moves) = (game.position(), game.legal_moves());
            let found = scorer.score(position, &moves);
            assert_eq!(found, value(position, true), "{}", position.to_fen());
        }
    }
}
