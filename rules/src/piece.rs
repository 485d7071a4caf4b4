//! Abilities of pieces: step directions, jump directions, range.

use crate::geometry::{ORDER, STEPS, opposite};
use crate::{Bitboard, Color};

/// The range of a simple move or jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// One square; it jumps over an adjacent piece and lands directly beyond it.
    Short,
    /// Any number of empty squares before the victim, but it lands directly beyond it.
    FlyingLandsNext,
    /// Any number of empty squares before the victim and after it.
    Flying,
}

/// The abilities of men or kings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Directions of simple moves.
    pub steps: Directions,
    /// Directions of captures.
    pub jumps: Directions,
    /// The range.
    pub reach: Reach,
    /// True if it may capture kings.
    pub captures_kings: bool,
}

/// A set of directions from White's point of view; Black's are rotated by 180 degrees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directions(u8);

impl Directions {
    /// The two forward diagonals.
    pub const FORWARD: Directions = Directions(0b0011_0000);
    /// The four diagonals.
    pub const DIAGONAL: Directions = Directions(0b0011_0011);
    /// Rows and columns: to the next dark square, two columns or rows away.
    pub const STRAIGHT: Directions = Directions(0b1100_1100);
    /// All eight.
    pub const ALL: Directions = Directions(0xff);

    /// The union of two sets.
    #[must_use]
    pub const fn and(self, other: Directions) -> Directions {
        Directions(self.0 | other.0)
    }

    /// True if this set contains the other.
    pub const fn contains(self, other: Directions) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if the sets have a common direction.
    pub const fn intersects(self, other: Directions) -> bool {
        self.0 & other.0 != 0
    }

    /// The directions for a side, as shifts of the bit index ([`Bitboard`]).
    pub fn shifts(self, color: Color) -> impl Iterator<Item = i8> {
        let list = self.list(color);
        (0..list.len).map(move |at| STEPS[list.directions[at]])
    }

    /// The directions for a side, in the order of generation.
    pub(crate) const fn list(self, color: Color) -> DirectionList {
        let set = match color {
            Color::White => self.0,
            Color::Black => self.0.rotate_left(4),
        };
        let mut list = DirectionList {
            directions: [0; 8],
            len: 0,
        };
        let mut at = 0;
        while at < ORDER.len() {
            if set >> ORDER[at] & 1 == 1 {
                list.directions[list.len] = ORDER[at];
                list.len += 1;
            }
            at += 1;
        }
        list
    }

    /// The squares from which a side can step to one of `squares`; ghost bits may be set.
    pub(crate) const fn origins(self, color: Color, squares: Bitboard) -> Bitboard {
        let list = self.list(color);
        let mut origins = 0;
        let mut at = 0;
        while at < list.len {
            origins |= crate::geometry::shift(squares.0, opposite(list.directions[at]));
            at += 1;
        }
        Bitboard(origins)
    }
}

/// Directions as indices into [`STEPS`].
pub(crate) struct DirectionList {
    directions: [usize; 8],
    len: usize,
}

impl DirectionList {
    pub(crate) const fn as_slice(&self) -> &[usize] {
        self.directions.split_at(self.len).0
    }
}
