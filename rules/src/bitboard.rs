//! Sets of squares in a 64-bit word.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use crate::{Color, Square};

/// A set of squares.
///
/// All boards share one layout: the 10x10 board with unused ghost bits between its rows, so that
/// each direction is a single shift and nothing wraps around. In row `r`, the `k`th of its five
/// dark squares has bit `13 * (r / 2) + k` in even rows and `13 * (r / 2) + 6 + k` in odd rows.
///
/// ```text
///       0       1       2       3       4      5 is a ghost
///   6       7       8       9      10         11, 12 are ghosts
///      13      14      15      16      17
///  19      20      21      22      23
/// ```
///
/// The 8x8 board is the inner part of the 10x10 board: rows and columns 1 to 8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// True if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of squares in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// True if the set contains this square.
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 == 1
    }

    /// True if the sets have a common square.
    pub const fn intersects(self, other: Bitboard) -> bool {
        self.0 & other.0 != 0
    }

    /// The set rotated by 180 degrees.
    pub const fn turned(self) -> Bitboard {
        Bitboard(self.0.reverse_bits() >> 1)
    }

    /// The set of White's squares as it is for a side: rotated for Black.
    pub const fn of_side(self, color: Color) -> Bitboard {
        match color {
            Color::White => self,
            Color::Black => self.turned(),
        }
    }

    /// The squares in ascending order.
    pub const fn iter(self) -> Iter {
        Iter(self.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;

    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;

    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitAndAssign for Bitboard {
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl Not for Bitboard {
    type Output = Bitboard;

    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares
            .into_iter()
            .fold(Bitboard::EMPTY, |set, square| set | square.bit())
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        self.iter()
    }
}

/// An iterator over the squares of a [`Bitboard`], ascending.
#[derive(Clone, Debug)]
pub struct Iter(u64);

impl Iterator for Iter {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::lowest(self.0);
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Iter {}
