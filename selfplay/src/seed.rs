//! One random stream a game, derived from what identifies the game and from nothing else, so that
//! neither threads nor restarts change what is played.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The random stream of game `number` of `generation` in the run with `run_seed`.
pub(crate) fn game_rng(run_seed: u64, generation: u32, number: u32) -> ChaCha8Rng {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&run_seed.to_le_bytes());
    seed[8..12].copy_from_slice(&generation.to_le_bytes());
    seed[12..16].copy_from_slice(&number.to_le_bytes());
    seed[16..24].copy_from_slice(b"selfplay");
    ChaCha8Rng::from_seed(seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use std::collections::HashSet;

    #[test]
    fn every_game_has_its_own_stream() {
        let mut seen = HashSet::new();
        for run_seed in 0..4 {
            for generation in 0..10 {
                for number in 0..50 {
                    assert!(seen.insert(game_rng(run_seed, generation, number).next_u64()));
                }
            }
        }
    }
}
