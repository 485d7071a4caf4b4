//! The hash of a position, computed when it is asked for.
//!
//! Mixing a handful of words by products costs less than keeping a sum of random keys up to date
//! through every move: most positions are never compared with another one.

use crate::Bitboard;

/// Constants without a pattern. The highest bit is set where no square is, so that no set of squares
/// cancels one.
const KEYS: [u64; 3] = [
    0x9e37_79b9_7f4a_7c15,
    0xbf58_476d_1ce4_e5b9,
    0x94d0_49bb_1331_11eb,
];

/// A number that depends on every bit of the piece sets and of `rest`, whatever else makes the position.
#[inline]
pub(crate) fn hash(pieces: [Bitboard; 2], kings: Bitboard, rest: u64) -> u64 {
    let [black, white] = pieces;
    let men_and_kings = fold(black.0 ^ KEYS[0], white.0 ^ KEYS[1]);
    fold(men_and_kings ^ rest, kings.0 ^ KEYS[2])
}

/// Both halves of a product, folded into one word, as in Wang Yi's wyhash.
#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}
