//! Helpers shared by the benchmarks.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};

/// Command-line arguments without cargo's options.
pub(crate) fn names() -> Vec<String> {
    let arguments = std::env::args().skip(1);
    arguments
        .filter(|argument| !argument.starts_with('-'))
        .collect()
}

/// Positions of random games.
pub(crate) fn random_positions(
    variant: Variant,
    n_positions: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<Position> {
    let mut positions = Vec::new();
    while positions.len() < n_positions {
        let mut game = Game::new(Position::start(variant));
        while game.outcome().is_none() && positions.len() < n_positions {
            if rng.random_bool(0.25) {
                positions.push(*game.position());
            }
            let moves = game.legal_moves();
            game.play(*moves.choose(rng).expect("the game goes on"));
        }
    }
    positions
}
