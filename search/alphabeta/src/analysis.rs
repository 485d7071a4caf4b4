//! What a search found out.

use rules::Move;

use crate::score::plies_to_end;

/// What is known about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The best lines, the best one first; as many as were asked for and there are legal moves.
    pub lines: Vec<ScoredLine>,
    /// Plies looked ahead; 0 before the first depth is finished.
    pub depth: u32,
    /// The longest line that was looked at.
    pub deepest: u32,
    /// Positions visited by all threads.
    pub nodes: u64,
}

/// A move, what is expected to follow, and what that is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredLine {
    /// For the side to move; see [`WIN`](crate::WIN) for the unit. Before the first depth is finished,
    /// less than any score.
    pub score: i32,
    /// The moves; never empty.
    pub moves: Vec<Move>,
}

impl ScoredLine {
    /// The plies to the end of the game, if it is forced: a win if the score is positive.
    pub fn plies_to_end(&self) -> Option<u16> {
        plies_to_end(self.score)
    }
}
