//! Counting different things without remembering all of them.

use std::collections::HashSet;

/// Hashes that are remembered, some 20 bytes each.
const CAPACITY: usize = 1 << 20;

/// Counts different hashes. Up to a capacity it is exact; beyond that it remembers every second,
/// fourth, ... of all hashes, chosen by the hash itself, and each of them counts for as many. So what
/// occurs often does not weigh more than what occurs once. With n remembered hashes the standard
/// error is below 1 / sqrt(n).
pub(super) struct Distinct {
    hashes: HashSet<u64>,
    capacity: usize,
    /// One of 2^level hashes is remembered.
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

    /// How many new hashes this one stands for: none if it was there before. The sum over all calls
    /// estimates the number of different hashes.
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

/// Whether the first bits are zeros, after mixing: every bit of a hash need not be a good one.
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
            // One hash comes again and again, the others twice.
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
