//! Counts distinct items without storing all of them.

use std::collections::HashSet;

/// Maximum number of stored hashes, about 20 bytes each.
const CAPACITY: usize = 1 << 20;

/// Counts distinct hashes. It is exact up to a capacity; beyond that it stores every second,
/// fourth, ... hash, chosen by the hash itself, and weights each accordingly. Frequent items
/// therefore weigh no more than rare ones. With n stored hashes the standard error is below 1 /
/// sqrt(n).
pub(super) struct Distinct {
    hashes: HashSet<u64>,
    capacity: usize,
    /// One of 2^level hashes is stored.
    level: u32,
}

impl Default for Distinct {
    fn default() -> Distinct {
        Distinct::with_capacity(CAPACITY)
    }
}

impl Distinct {
    fn with_capacity(capacity: usize) -> Distinct {
        Distinct {
            hashes: HashSet::new(),
            capacity,
            level: 0,
        }
    }

    /// Number of new hashes that this one represents: 0 if it occurred before. The sum over all
    /// calls estimates the number of distinct hashes.
    pub(super) fn insert(&mut self, hash: u64) -> u64 {
        if !is_sampled(hash, self.level) || !self.hashes.insert(hash) {
            return 0;
        }
        let weight = 1 << self.level;
        while self.hashes.len() > self.capacity {
            self.level += 1;
            let level = self.level;
            self.hashes.retain(|&hash| is_sampled(hash, level));
        }
        weight
    }
}

/// Returns `true` if the first bits are zero after mixing; mixing allows hashes with poor bits.
fn is_sampled(hash: u64, level: u32) -> bool {
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed.leading_zeros() >= level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_up_to_the_capacity_and_close_beyond() {
        let (mut distinct, mut count) = (Distinct::with_capacity(4096), 0);
        for n in 1..=400_000_u64 {
            // One hash occurs again and again, the others twice.
            for hash in [n, n, 0] {
                count += distinct.insert(hash);
            }
            let true_count = n + 1;
            if true_count <= 4096 {
                assert_eq!(count, true_count);
            }
        }
        let error = count as f64 / 400_001.0 - 1.0;
        assert!(error.abs() < 0.05, "{error}");
        assert!(distinct.hashes.len() <= 4096 && distinct.level > 5);
    }
}
