//! Hashes of games, the same on every machine: FNV-1a of the start's hash and the moves.

use std::hash::Hasher;

use fnv::FnvHasher;
use rules::{Move, Position};

/// The hash of a game.
pub(crate) fn of_game(start: &Position, moves: impl IntoIterator<Item = Move>) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(&start.hash().to_le_bytes());
    for mv in moves {
        hash.write(&[mv.from.index() as u8, mv.to.index() as u8]);
        hash.write(&mv.captured.0.to_le_bytes());
    }
    hash.finish()
}

/// The hash of a list of games by theirs.
pub(crate) fn of_games(games: impl IntoIterator<Item = u64>) -> u64 {
    let mut hash = FnvHasher::default();
    for game in games {
        hash.write(&game.to_le_bytes());
    }
    hash.finish()
}
