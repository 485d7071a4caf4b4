//! Seeds: every random stream is derived from one seed and the purpose of the stream.

use std::hash::Hasher;

use fnv::FnvHasher;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The seed of a random stream, or of a family of streams.
///
/// Streams never depend on threads, batches or earlier stops: a game's stream, for example, comes
/// from the seed of the run, its generation and its number.
///
/// ```
/// use types::Seed;
///
/// let run = Seed::new(1);
/// let game = run.derive("selfplay", &[3, 17]);
/// assert_eq!(game, run.derive("selfplay", &[3, 17]));
/// assert_ne!(game, run.derive("selfplay", &[17, 3]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed(u64);

impl Seed {
    /// The seed set by a user.
    pub const fn new(seed: u64) -> Seed {
        Seed(seed)
    }

    /// The seed of a part: `purpose` names the use, `path` tells its instances apart.
    ///
    /// It is the 64-bit FNV-1a hash of this seed, the purpose, a zero byte and the path, with
    /// numbers in little-endian order. FNV-1a is fully specified, so seeds do not change with the
    /// hash's implementation. Its weak mixing does no harm, because [`Seed::rng`] mixes again.
    #[must_use]
    pub fn derive(self, purpose: &str, path: &[u64]) -> Seed {
        let mut hash = FnvHasher::default();
        hash.write(&self.0.to_le_bytes());
        hash.write(purpose.as_bytes());
        hash.write(&[0]);
        for step in path {
            hash.write(&step.to_le_bytes());
        }
        Seed(hash.finish())
    }

    /// The seed as a number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The random stream of this seed.
    pub fn rng(self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use std::collections::HashSet;

    #[test]
    fn derived_seeds_are_the_published_hash() {
        // FNV-1a of 8 zero bytes, "a" and a zero byte, computed independently.
        let mut expected = 0xcbf2_9ce4_8422_2325_u64;
        for byte in [0, 0, 0, 0, 0, 0, 0, 0, b'a', 0] {
            expected = (expected ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        assert_eq!(Seed::new(0).derive("a", &[]), Seed(expected));
    }

    #[test]
    fn every_part_has_its_own_stream() {
        let mut streams = HashSet::new();
        let mut n_parts = 0;
        for run in 0..3 {
            for purpose in ["selfplay", "window", "gate"] {
                for generation in 0..100 {
                    for number in 0..100 {
                        let part = Seed::new(run).derive(purpose, &[generation, number]);
                        streams.insert(part.rng().next_u64());
                        n_parts += 1;
                    }
                }
            }
        }
        assert_eq!(streams.len(), n_parts);
    }

    #[test]
    fn purpose_and_path_are_told_apart() {
        let seed = Seed::new(7);
        assert_ne!(seed.derive("ab", &[]), seed.derive("a", &[u64::from(b'b')]));
        assert_ne!(seed.derive("a", &[1]), seed.derive("a", &[1, 0]));
    }
}
