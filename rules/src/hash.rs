//! Keys of the position hash (Zobrist hashing).

use crate::{Color, Square, Variant};

/// [kind][bit index]; kinds are black man, white man, black king, white king.
static PIECES: [[u64; 64]; 4] = keys(1);
/// [side * 3 + count - 1][bit index] keys of the king rest counters.
static RESTS: [[u64; 64]; 6] = keys(2);

const fn keys<const KINDS: usize>(stream: u64) -> [[u64; 64]; KINDS] {
    let mut table = [[0; 64]; KINDS];
    let mut i = 0;
    while i < KINDS * 64 {
        table[i / 64][i % 64] = mix(stream << 32 | i as u64);
        i += 1;
    }
    table
}

/// The SplitMix64 finaliser: a bijection that looks random.
const fn mix(seed: u64) -> u64 {
    let z = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Key of White to move.
pub(crate) const TURN: u64 = mix(3 << 32);

/// Key that sets a variant's positions apart from those of the others.
pub(crate) const fn variant(variant: Variant) -> u64 {
    mix(4 << 32 | variant as u64)
}

/// Key of a piece on a square.
#[inline(always)]
pub(crate) fn piece(color: Color, is_king: bool, square: Square) -> u64 {
    PIECES[color.index() + 2 * usize::from(is_king)][square.index() & 63]
}

/// Key of a side's king rest counter, 1 to 3 moves by the king on a square.
pub(crate) fn rest(color: Color, count: u8, square: Square) -> u64 {
    RESTS[color.index() * 3 + usize::from(count) - 1][square.index()]
}
