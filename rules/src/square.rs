//! A square of the shared geometry.

use crate::Bitboard;

/// A bit of the geometry that all boards share; see [`Bitboard`] for the layout.
///
/// Squares are ordered by their numbers on either board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// The number of bits of the geometry, including ghost squares.
    pub const COUNT: usize = 63;

    /// The square at a bit index, if the geometry has that bit.
    pub const fn new(index: usize) -> Option<Square> {
        if index < Square::COUNT {
            Some(Square(index as u8))
        } else {
            None
        }
    }

    /// The square of the lowest set bit of `bits`, which must not be 0.
    pub(crate) const fn lowest(bits: u64) -> Square {
        Square(bits.trailing_zeros() as u8)
    }

    /// The square `step` bits further on, which must exist.
    pub(crate) const fn offset(self, step: i8) -> Square {
        Square(self.0.wrapping_add_signed(step))
    }

    /// The midpoint of two squares: the victim of a short jump.
    pub(crate) const fn midpoint(self, other: Square) -> Square {
        Square((self.0 + other.0) / 2)
    }

    pub(crate) const fn from_index(index: u8) -> Square {
        Square(index)
    }

    /// The bit index, 0 to 62.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The set of this square only.
    pub const fn bit(self) -> Bitboard {
        Bitboard(1 << self.0)
    }

    /// The square at the same place when the board is rotated by 180 degrees.
    pub const fn turned(self) -> Square {
        Square(62 - self.0)
    }
}
