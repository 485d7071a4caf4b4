//! What a kind of piece can do: where it steps, where it jumps, how far it goes.

use crate::geometry::{ORDER, STEPS, opposite};
use crate::{Bitboard, Color};

/// How far a piece goes in one simple move or jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// One square; it jumps an adjacent piece and lands right behind it.
    Short,
    /// Any number of empty squares before the victim, but it lands right behind it.
    FlyingLandsNext,
    /// Any number of empty squares before the victim and after it.
    Flying,
}

/// What men, or kings, can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Where it makes simple moves.
    pub steps: Directions,
    /// Where it captures.
    pub jumps: Directions,
    /// How far it goes.
    pub reach: Reach,
    /// Whether it may capture kings.
    pub captures_kings: bool,
}

/// A set of directions, as White sees the board; Black's are turned by 180 degrees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directions(u8);

impl Directions {
    /// The two diagonals towards the far end of the board.
    pub const FORWARD: Directions = Directions(0b0011_0000);
    /// The four diagonals.
    pub const DIAGONAL: Directions = Directions(0b0011_0011);
    /// Along rows and columns: to the next dark square, two columns or rows away.
    pub const STRAIGHT: Directions = Directions(0b1100_1100);
    /// All eight.
    pub const ALL: Directions = Directions(0xff);

    /// The directions of either set.
    #[must_use]
    pub const fn and(self, other: Directions) -> Directions {
        Directions(self.0 | other.0)
    }

    /// Whether all directions of the other set are in this one.
    pub const fn contains(self, other: Directions) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the sets share a direction.
    pub const fn intersects(self, other: Directions) -> bool {
        self.0 & other.0 != 0
    }

    /// The set as a side goes, as shifts of the bit index ([`Bitboard`]).
    pub fn shifts(self, color: Color) -> impl Iterator<Item = i8> {
        let list = self.list(color);
        (0..list.len).map(move |at| STEPS[list.directions[at]])
    }

    /// The set as a side goes, in the order in which the generator looks.
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

    /// The squares from which a side goes to one of `squares`; ghost bits may be set.
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
