//! The hash of a position, computed on demand.
//!
//! Hashing a few words by multiplication costs less than updating incremental (Zobrist) keys with
//! every move: most positions are never compared with another one.

use crate::Bitboard;

/// Random constants. The highest bit, which is not a square, is set, so that no set of squares
/// cancels a constant.
const KEYS: [u64; 3] = [
    0x9e37_79b9_7f4a_7c15,
    0xbf58_476d_1ce4_e5b9,
    0x94d0_49bb_1331_11eb,
];

/// A number that depends on every bit of the piece sets and of `rest`, the remaining state.
#[inline]
pub(crate) fn hash(pieces: [Bitboard; 2], kings: Bitboard, rest: u64) -> u64 {
    let [black, white] = pieces;
    let men_and_kings = fold(black.0 ^ KEYS[0], white.0 ^ KEYS[1]);
    fold(men_and_kings ^ rest, kings.0 ^ KEYS[2])
}

/// The two halves of a product combined by exclusive or, as in Wang Yi's wyhash.
#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}
