//! Random openings, which diversify games.

use rand::{Rng, RngExt};
use rules::{Game, Position};

/// A game of 0 to `max_plies` uniformly random moves, drawn again if it ends early.
pub fn random_opening(start: Position, max_plies: u32, rng: &mut impl Rng) -> Game {
    loop {
        let n_plies = rng.random_range(0..=max_plies);
        if let Some(game) = random_game(start, n_plies, rng) {
            return game;
        }
    }
}

/// A game of `n_plies` uniformly random moves; `None` if it ends early.
fn random_game(start: Position, n_plies: u32, rng: &mut impl Rng) -> Option<Game> {
    let mut game = Game::new(start);
    for _ in 0..n_plies {
        let moves = game.legal_moves();
        game.play(moves[rng.random_range(0..moves.len())]);
        if game.outcome().is_some() {
            return None;
        }
    }
    Some(game)
}
