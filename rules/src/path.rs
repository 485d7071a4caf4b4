//! The squares visited by a move.

use crate::generate::paths;
use crate::variants::with_rules;
use crate::{Color, Move, Position, Square};

impl Position {
    /// The squares of a legal move: origin, every landing square, destination. Of several paths
    /// this is the lexicographically smallest.
    pub fn path(&self, mv: Move) -> Vec<Square> {
        let path = self.paths(mv, 1).pop();
        path.unwrap_or_else(|| vec![mv.from, mv.to])
    }

    /// The paths of a legal move, smallest first: all, or the first `limit`.
    pub fn paths(&self, mv: Move, limit: usize) -> Vec<Vec<Square>> {
        if !mv.is_capture() {
            return vec![vec![mv.from, mv.to]];
        }
        self.capture_paths(mv, &[], limit)
    }

    /// True if a path of a legal move lands on `stops` in this order before its destination.
    pub(crate) fn passes(&self, mv: Move, stops: &[Square]) -> bool {
        stops.is_empty() || mv.is_capture() && !self.capture_paths(mv, stops, 1).is_empty()
    }

    fn capture_paths(&self, mv: Move, stops: &[Square], limit: usize) -> Vec<Vec<Square>> {
        with_rules!(self.variant(), R => match self.turn() {
            Color::Black => paths::<R, false>(self, mv, stops, limit),
            Color::White => paths::<R, true>(self, mv, stops, limit),
        })
    }
}
