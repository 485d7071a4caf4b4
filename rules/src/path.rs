//! The squares visited by a move.

use crate::generate::{path_through, paths};
use crate::variants::with_rules;
use crate::{Color, Move, Position, Square};

impl Position {
    /// The squares of a legal move: origin, every landing square, destination. Of several paths
    /// this is the lexicographically smallest.
    pub fn path(&self, mv: Move) -> Vec<Square> {
        self.path_through(mv, &[])
            .unwrap_or_else(|| vec![mv.from, mv.to])
    }

    /// The paths of a legal move, smallest first: all, or the first `limit`.
    pub fn paths(&self, mv: Move, limit: usize) -> Vec<Vec<Square>> {
        if !mv.is_capture() {
            return vec![vec![mv.from, mv.to]];
        }
        with_rules!(self.variant(), R => match self.turn() {
            Color::Black => paths::<R, false>(self, mv, limit),
            Color::White => paths::<R, true>(self, mv, limit),
        })
    }

    /// The smallest path of a legal move that lands on `stops` in this order between origin and
    /// destination, if any.
    pub(crate) fn path_through(&self, mv: Move, stops: &[Square]) -> Option<Vec<Square>> {
        if !mv.is_capture() {
            return stops.is_empty().then(|| vec![mv.from, mv.to]);
        }
        with_rules!(self.variant(), R => match self.turn() {
            Color::Black => path_through::<R, false>(self, mv, stops),
            Color::White => path_through::<R, true>(self, mv, stops),
        })
    }
}
