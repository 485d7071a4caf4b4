//! Moves and move lists.

use std::ops::Deref;

use crate::{Bitboard, Square};

/// A complete move. Two ways of capturing the same pieces between the same squares are one move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The origin.
    pub from: Square,
    /// The destination; a capture may return to `from`.
    pub to: Square,
    /// The captured pieces.
    pub captured: Bitboard,
}

impl Move {
    const NONE: Move = Move {
        from: Square::from_index(0),
        to: Square::from_index(0),
        captured: Bitboard::EMPTY,
    };

    /// True if the move captures at least one piece.
    pub const fn is_capture(self) -> bool {
        !self.captured.is_empty()
    }
}

/// The moves of a position.
///
/// Lists of real games are stored inline, without heap allocation; composed positions with more
/// than [`MoveList::INLINE`] moves spill into a vector.
#[derive(Clone, Debug)]
pub struct MoveList {
    len: usize,
    inline: [Move; MoveList::INLINE],
    /// All moves, once there are more than fit inline.
    spilled: Vec<Move>,
}

impl MoveList {
    /// The number of moves stored inline.
    pub const INLINE: usize = 128;

    /// An empty list.
    pub const fn new() -> MoveList {
        MoveList {
            len: 0,
            inline: [Move::NONE; MoveList::INLINE],
            spilled: Vec::new(),
        }
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends a move.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        match self.inline.get_mut(self.len) {
            Some(slot) => *slot = mv,
            None => self.spill(mv.from, mv.to, mv.captured),
        }
        self.len += 1;
    }

    /// Appends moves, at most one for each square of a set.
    #[inline(always)]
    pub(crate) fn extend(&mut self, moves: impl Iterator<Item = Move>) {
        let room = self.inline.get_mut(self.len..self.len + Square::COUNT);
        let Some(room) = room else {
            moves.for_each(|mv| self.push(mv));
            return;
        };
        // Keeps the length in a register.
        let mut len = self.len;
        for (slot, mv) in room.iter_mut().zip(moves) {
            *slot = mv;
            len += 1;
        }
        self.len = len;
    }

    /// Appends a move for each square; there are rarely more than `N`. That many are written
    /// unconditionally, because a few wasted writes cost less than a branch misprediction.
    #[inline(always)]
    pub(crate) fn extend_few<const N: usize>(
        &mut self,
        squares: Bitboard,
        make: impl Fn(Square) -> Move,
    ) {
        let room = self.inline.get_mut(self.len..self.len + Square::COUNT);
        let Some((few, more)) = room.and_then(|room| room.split_first_chunk_mut::<N>()) else {
            squares.iter().for_each(|square| self.push(make(square)));
            return;
        };
        let mut rest = squares.0;
        let mut n = 0;
        for slot in few {
            *slot = make(Square::lowest(rest | 1 << Square::COUNT));
            n += usize::from(rest != 0);
            rest &= rest.wrapping_sub(1);
        }
        for (slot, square) in more.iter_mut().zip(Bitboard(rest)) {
            *slot = make(square);
            n += 1;
        }
        self.len += n;
    }

    /// Takes a move in parts, so that moves that fit inline need not be in memory first.
    #[cold]
    fn spill(&mut self, from: Square, to: Square, captured: Bitboard) {
        if self.len == MoveList::INLINE {
            self.spilled.clear();
            self.spilled.extend_from_slice(&self.inline);
        }
        self.spilled.push(Move { from, to, captured });
    }

    /// Sorts by origin, destination, and the ascending list of captured squares: the canonical
    /// order of records and files.
    pub fn sort_canonical(&mut self) {
        let moves = match self.inline.get_mut(..self.len) {
            Some(moves) => moves,
            None => &mut self.spilled[..],
        };
        moves.sort_unstable_by(|a, b| {
            (a.from, a.to)
                .cmp(&(b.from, b.to))
                .then_with(|| a.captured.iter().cmp(b.captured))
        });
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.inline.get(..self.len).unwrap_or(&self.spilled)
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
