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

/// The hash of a list of games by their hashes.
pub(crate) fn of_games(games: impl IntoIterator<Item = u64>) -> u64 {
    let mut hash = FnvHasher::default();
    for game in games {
        hash.write(&game.to_le_bytes());
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a by hand: (basis ^ byte) · prime, eight bytes per game.
    #[test]
    fn games_are_hashed_in_their_order() {
        let (basis, prime) = (0xcbf2_9ce4_8422_2325_u64, 0x0100_0000_01b3_u64);
        let of_one = (0..7).fold((basis ^ 1).wrapping_mul(prime), |hash, _| {
            hash.wrapping_mul(prime)
        });
        assert_eq!(of_games([]), basis);
        assert_eq!(of_games([1]), of_one);
        assert_ne!(of_games([1, 2]), of_games([2, 1]));
    }
}
