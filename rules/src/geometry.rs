//! Directions and rays of the shared geometry, as constants.

use crate::{Board, Square};

/// The eight directions as shifts of the bit index. The first four increase the index; the
/// direction four places later is the opposite one.
pub(crate) const STEPS: [i8; 8] = [6, 7, 1, 13, -6, -7, -1, -13];
/// All indices into [`STEPS`] in the order of generation: diagonals first.
pub(crate) const ORDER: [usize; 8] = [0, 1, 4, 5, 2, 3, 6, 7];

/// The opposite direction.
pub(crate) const fn opposite(direction: usize) -> usize {
    direction ^ 4
}

/// All squares shifted by one step; ghost bits may be set afterwards.
#[inline(always)]
pub(crate) const fn shift(bits: u64, direction: usize) -> u64 {
    let step = STEPS[direction];
    if step > 0 {
        bits << step
    } else {
        bits >> -step
    }
}

/// The first of `bits`, all on a ray in this direction, that the ray meets.
#[inline(always)]
pub(crate) const fn nearest(bits: u64, direction: usize) -> Square {
    if direction < 4 {
        Square::lowest(bits)
    } else {
        Square::from_index(63 - bits.leading_zeros() as u8)
    }
}

/// The first of `bits`, all on a ray in this direction, that the ray meets, as a set; empty if
/// there is none.
#[inline(always)]
pub(crate) const fn nearest_bit(bits: u64, direction: usize) -> u64 {
    if direction < 4 {
        bits & bits.wrapping_neg()
    } else {
        bits & 1 << (63 - (bits | 1).leading_zeros())
    }
}

/// [board][direction][bit index] the ray from a square on an empty board.
static RAYS: [[[u64; 64]; 8]; 2] = [rays(Board::Eight), rays(Board::Ten)];

const fn rays(board: Board) -> [[u64; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut token = 0;
        while token < board.n_squares() {
            let square = board.token_square(token);
            let mut at = shift(square.bit().0, direction) & board.mask().0;
            while at != 0 {
                table[direction][square.index()] |= at;
                at = shift(at, direction) & board.mask().0;
            }
            token += 1;
        }
        direction += 1;
    }
    table
}

/// The ray from `square` on an empty board.
#[inline(always)]
pub(crate) fn ray(board: Board, direction: usize, square: Square) -> u64 {
    RAYS[board.geometry() as usize][direction][square.index()]
}

/// The empty squares on the ray from `square` up to the first occupied one.
#[inline(always)]
pub(crate) fn open_ray(board: Board, direction: usize, square: Square, occupied: u64) -> u64 {
    let full = ray(board, direction, square);
    let blockers = full & occupied;
    if blockers == 0 {
        return full;
    }
    let first = nearest(blockers, direction);
    full & !ray(board, direction, first) & !first.bit().0
}
