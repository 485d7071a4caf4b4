//! The squares beyond the neighbors of a square, computed for all directions at once.

use crate::geometry::shift;
use crate::{Board, Square};

/// The squares beyond the neighbors of `at` in `enemies`. The caller must intersect the result with
/// [`jump_ends`]: all other bits are meaningless.
///
/// With `at` moved to bit 13, its eight neighbors are on the bits of `SOME` and `OTHERS`; with `at`
/// moved to bit 26, the square beyond each neighbor is on the bit with twice that number. The
/// product of some of these bits with all of them has a bit at the sum of any two, including the
/// doubles. If they are processed four at a time, no other sum coincides with a double or carries
/// into one.
#[inline(always)]
pub(super) const fn squares_behind(at: Square, enemies: u64) -> u64 {
    const SOME: [u32; 4] = [0, 6, 14, 19];
    const OTHERS: [u32; 4] = [7, 12, 20, 26];
    let at = at.index() as u32;
    let around = enemies.rotate_right(at.wrapping_sub(13));
    let behind = doubles(around, SOME) | doubles(around, OTHERS);
    behind.rotate_left(at.wrapping_sub(26))
}

/// The set bits among `numbers`, doubled.
#[inline(always)]
const fn doubles(bits: u64, numbers: [u32; 4]) -> u64 {
    let [a, b, c, d] = numbers;
    let single = 1 << a | 1 << b | 1 << c | 1 << d;
    let double = 1 << (2 * a) | 1 << (2 * b) | 1 << (2 * c) | 1 << (2 * d);
    ((bits & single) * single) & double
}

/// [bit index] the ends of jumps from a square in these directions on an empty board.
pub(super) const fn jump_ends(board: Board, directions: &[usize]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut token = 0;
    while token < board.n_squares() {
        let square = board.token_square(token);
        let mut i = 0;
        while i < directions.len() {
            let near = shift(square.bit().0, directions[i]) & board.mask().0;
            table[square.index()] |= shift(near, directions[i]) & board.mask().0;
            i += 1;
        }
        token += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::ORDER;

    /// Every square with every set of adjacent enemies, and enemies on all or none of the other
    /// squares.
    #[test]
    fn squares_behind_are_those_of_two_steps() {
        for board in [Board::Eight, Board::Ten] {
            let ends = jump_ends(board, &ORDER);
            for token in 0..board.n_squares() {
                let at = board.token_square(token);
                let step = |direction| shift(at.bit().0, direction) & board.mask().0;
                let ring = ORDER
                    .into_iter()
                    .map(step)
                    .fold(0, |ring, near| ring | near);
                for chosen in 0..1 << ORDER.len() {
                    let (mut near, mut behind) = (0, 0);
                    for direction in ORDER.into_iter().filter(|d| chosen >> d & 1 == 1) {
                        near |= step(direction);
                        behind |= shift(step(direction), direction) & board.mask().0;
                    }
                    for enemies in [near, near | !ring] {
                        assert_eq!(squares_behind(at, enemies) & ends[at.index()], behind);
                    }
                }
            }
        }
    }
}
