//! Checksums of any range of a segment, each at the same small cost.
//!
//! A hostile segment can claim a frame of half the file at every offset. Hashing each of them would
//! take a time that grows with the square of the file, so the file is hashed once: the checksum of
//! a range follows from the checksums of two prefixes, since CRC32C is linear.

use std::ops::Range;

/// Bytes between two stored prefix checksums.
const BLOCK: usize = 256;

/// CRC32C's polynomial, reflected: bit 31 is the coefficient of x^0.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// `POWERS[k]` is x^(8 * 2^k) modulo the polynomial: appending 2^k zero bytes multiplies by it.
const POWERS: [u32; 32] = {
    let mut powers = [1 << 23; 32];
    let mut k = 1;
    while k < powers.len() {
        powers[k] = product(powers[k - 1], powers[k - 1]);
        k += 1;
    }
    powers
};

/// The product of two polynomials modulo CRC32C's.
const fn product(mut a: u32, mut b: u32) -> u32 {
    let mut sum = 0;
    while a != 0 {
        if a & (1 << 31) != 0 {
            sum ^= b;
        }
        a <<= 1;
        b = (b >> 1) ^ (POLYNOMIAL * (b & 1));
    }
    sum
}

/// Prefix checksums of a segment.
pub(super) struct Checksums<'a> {
    bytes: &'a [u8],
    /// `[i]` is the checksum of the first `i * BLOCK` bytes.
    marks: Vec<u32>,
    /// Bytes hashed and products computed so far.
    work: usize,
}

impl<'a> Checksums<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Checksums<'a> {
        let mut marks = vec![0];
        for block in bytes.chunks_exact(BLOCK) {
            let before = marks.last().copied().unwrap_or_default();
            marks.push(crc32c::crc32c_append(before, block));
        }
        Checksums {
            bytes,
            marks,
            work: bytes.len(),
        }
    }

    /// As `crc32c_append(before, &bytes[range])`.
    pub(super) fn append(&mut self, before: u32, range: Range<usize>) -> u32 {
        let mut shifted = before ^ self.prefix(range.start);
        let length = range.len();
        for (k, &power) in POWERS.iter().enumerate() {
            if length >> k & 1 == 1 {
                shifted = product(power, shifted);
                self.work += 1;
            }
        }
        shifted ^ self.prefix(range.end)
    }

    #[cfg(test)]
    pub(super) fn work(&self) -> usize {
        self.work
    }

    fn prefix(&mut self, end: usize) -> u32 {
        let block = end / BLOCK;
        let rest = &self.bytes[block * BLOCK..end];
        self.work += rest.len();
        crc32c::crc32c_append(self.marks[block], rest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_range_has_the_checksum_that_hashing_it_gives(
            bytes in prop::collection::vec(any::<u8>(), 0..2000),
            before: u32,
            ends: [prop::sample::Index; 2],
        ) {
            let [a, b] = ends.map(|end| end.index(bytes.len() + 1));
            let range = a.min(b)..a.max(b);
            let expected = crc32c::crc32c_append(before, &bytes[range.clone()]);
            prop_assert_eq!(Checksums::new(&bytes).append(before, range), expected);
        }
    }
}
