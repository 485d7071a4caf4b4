//! Evaluators and positions that tests and benchmarks share.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::{Color, Game, Move, Position, Variant};
use search::{Batch, Evaluator, EvaluatorError};
use types::Wdl;

/// Replies derived from a hash of the request: deterministic, but without knowledge.
pub(crate) struct Hashed;

impl Hashed {
    /// The value of a position.
    pub(crate) fn value(position: &Position, repetitions: u32) -> Wdl {
        let hash = mix(key(position) ^ u64::from(position.no_progress() + 100 * repetitions));
        let parts =
            [hash & 0xff, hash >> 8 & 0xff, hash >> 16 & 0xff].map(|part| 1.0 + part as f32);
        let sum: f32 = parts.iter().sum();
        Wdl {
            win: parts[0] / sum,
            draw: parts[1] / sum,
            loss: parts[2] / sum,
        }
    }

    /// The logit of a move, in -2..2.
    pub(crate) fn logit(position: &Position, mv: Move) -> f32 {
        let ends = (mv.from.index() as u64) << 8 | mv.to.index() as u64;
        let hash = mix(key(position) ^ mix(ends ^ mv.captured.0));
        (hash & 0xffff) as f32 / 16384.0 - 2.0
    }
}

impl Evaluator for Hashed {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        for index in 0..batch.len() {
            let (request, reply) = batch.entry_mut(index);
            *reply.value = Hashed::value(request.position, request.repetitions);
            for (logit, &mv) in reply.logits.iter_mut().zip(request.moves) {
                *logit = Hashed::logit(request.position, mv);
            }
        }
        Ok(())
    }
}

/// A number for a position. It must not change, because the recorded trees of `mctx` depend on it.
fn key(position: &Position) -> u64 {
    let random = |stream: u64, index: usize| {
        let seed = (stream << 32 | index as u64).wrapping_add(1);
        mix(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    };
    let mut key = random(4, position.variant().index());
    for color in Color::ALL {
        for square in position.pieces(color) {
            let kind = color.index() + 2 * usize::from(position.all_kings().contains(square));
            key ^= random(1, 64 * kind + square.index());
        }
        if let Some((square, count)) = position.king_rest(color) {
            let kind = 3 * color.index() + usize::from(count) - 1;
            key ^= random(2, 64 * kind + square.index());
        }
    }
    match position.turn() {
        Color::Black => key,
        Color::White => key ^ random(3, 0),
    }
}

/// The finalizer of splitmix64.
fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// A game after `plies` random moves, or fewer if it would end; the side to move has a choice.
pub(crate) fn random_game(variant: Variant, plies: u32, seed: u64) -> Game {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::new(Position::start(variant));
    let mut latest = game.clone();
    while game.outcome().is_none() && game.plies() <= plies {
        let moves = game.legal_moves();
        if moves.len() > 1 {
            latest = game.clone();
        }
        game.play(moves[rng.random_range(0..moves.len())]);
    }
    latest
}
