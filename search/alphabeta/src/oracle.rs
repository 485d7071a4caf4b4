//! Exact results from outside the search.

use rules::Position;

/// A source of exact results, such as an endgame database.
pub trait Oracle: Send + Sync {
    /// The score of a position with best play for the side to move, if known: 0 for a draw,
    /// [`win_in`](crate::win_in) the most plies that a win can take, its negative for a loss. It
    /// must hold for any preceding positions, and the position's draw counters must leave enough
    /// plies for it.
    fn probe(&self, position: &Position) -> Option<i32>;
}
