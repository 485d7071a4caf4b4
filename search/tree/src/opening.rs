//! Random openings, which diversify games.

use rand::{Rng, RngExt};
use rules::{Game, Position};

/// A game of 0 to `max_plies` uniformly random moves, drawn again if it ends early.
pub fn random_opening(start: Position, max_plies: u32, rng: &mut impl Rng) -> Game {
    loop {
        let mut game = Game::new(start);
        let is_open = (0..rng.random_range(0..=max_plies)).all(|_| {
            let moves = game.legal_moves();
            game.play(moves[rng.random_range(0..moves.len())]);
            game.outcome().is_none()
        });
        if is_open {
            return game;
        }
    }
}
