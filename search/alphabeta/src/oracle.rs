//! Certain knowledge from outside the search.

use rules::Position;

/// Knows the results of some positions, as an endgame database does.
pub trait Oracle: Send + Sync {
    /// The result of the game from a position, where it is known. It has to hold whatever positions stood
    /// on the board before, and the counters of the position have to leave room for it.
    fn probe(&self, position: &Position) -> Option<Known>;
}

/// The result with best play, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// It wins in at most this many plies.
    Win(u16),
    /// The game is drawn.
    Draw,
    /// It loses in at most this many plies.
    Loss(u16),
}
