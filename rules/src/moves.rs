//! Moves and lists of them.

use std::ops::Deref;

use crate::{Bitboard, Square};

/// A complete move. Two ways of jumping the same pieces between the same squares are one move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Where the piece starts.
    pub from: Square,
    /// Where the piece ends; a capture may return to `from`.
    pub to: Square,
    /// The pieces it captures.
    pub captured: Bitboard,
}

impl Move {
    const NONE: Move = Move {
        from: Square::from_index(0),
        to: Square::from_index(0),
        captured: Bitboard::EMPTY,
    };

    /// Whether the move takes at least one piece.
    pub const fn is_capture(self) -> bool {
        !self.captured.is_empty()
    }
}

/// The moves of a position.
///
/// They live inside the list, without the heap, as far as positions from real games go; composed
/// positions with more moves than [`MoveList::INLINE`] spill into a vector.
#[derive(Clone, Debug)]
pub struct MoveList {
    inline: [Move; MoveList::INLINE],
    n_inline: usize,
    /// Empty, or all the moves.
    spilled: Vec<Move>,
}

impl MoveList {
    /// Moves that fit without the heap.
    pub const INLINE: usize = 128;

    /// An empty list.
    pub const fn new() -> MoveList {
        MoveList {
            inline: [Move::NONE; MoveList::INLINE],
            n_inline: 0,
            spilled: Vec::new(),
        }
    }

    /// Removes all moves.
    pub fn clear(&mut self) {
        self.n_inline = 0;
        self.spilled.clear();
    }

    /// Adds a move at the end.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.inline.get_mut(self.n_inline) {
            *slot = mv;
            self.n_inline += 1;
        } else {
            self.spill(mv);
        }
    }

    /// Adds moves at the end.
    #[inline(always)]
    pub(crate) fn extend(&mut self, moves: impl Iterator<Item = Move>) {
        // The length stays in a register.
        let mut n = self.n_inline;
        for mv in moves {
            if let Some(slot) = self.inline.get_mut(n) {
                *slot = mv;
                n += 1;
            } else {
                self.n_inline = n;
                self.spill(mv);
            }
        }
        self.n_inline = n;
    }

    #[cold]
    fn spill(&mut self, mv: Move) {
        if self.spilled.is_empty() {
            self.spilled.extend_from_slice(&self.inline);
        }
        self.spilled.push(mv);
    }

    /// Sorts by start, then end, then the ascending list of victims: the order used in records and files.
    pub fn sort_canonical(&mut self) {
        self.as_mut_slice().sort_unstable_by(|a, b| {
            (a.from, a.to)
                .cmp(&(b.from, b.to))
                .then_with(|| a.captured.iter().cmp(b.captured))
        });
    }

    fn as_mut_slice(&mut self) -> &mut [Move] {
        if self.spilled.is_empty() {
            &mut self.inline[..self.n_inline]
        } else {
            &mut self.spilled
        }
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
        if self.spilled.is_empty() {
            &self.inline[..self.n_inline]
        } else {
            &self.spilled
        }
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
