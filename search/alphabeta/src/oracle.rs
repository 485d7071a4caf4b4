//! Exact results from outside the search.

use rules::Position;

/// A source of exact results, such as an endgame database.
pub trait Oracle: Send + Sync {
    /// The game result from a position, if known. It must hold for any preceding positions, and the
    /// position's draw counters must leave enough plies for it.
    fn probe(&self, position: &Position) -> Option<Known>;
}

/// The result with best play for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// A win in at most this many plies.
    Win(u16),
    /// A draw.
    Draw,
    /// A loss in at most this many plies.
    Loss(u16),
}
