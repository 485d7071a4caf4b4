//! Results of a search.

use rules::Move;

use crate::score::{WIN, is_decided};

/// The analysis of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The best lines, best first: as many as were requested, at most one per legal move.
    pub lines: Vec<ScoredLine>,
    /// The last completed depth in plies; 0 before the first is complete.
    pub depth: u32,
    /// The selective depth: length of the longest line searched.
    pub deepest: u32,
    /// Positions visited by all threads.
    pub nodes: u64,
}

/// A principal variation and its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredLine {
    /// The score for the side to move, in units of [`WIN`](crate::WIN). Below every real score
    /// until the first depth is complete.
    pub score: i32,
    /// The moves; never empty.
    pub moves: Vec<Move>,
}

impl ScoredLine {
    /// The number of plies to a forced end of the game: a win if the score is positive.
    pub fn plies_to_end(&self) -> Option<u16> {
        let plies = || (WIN - self.score.abs()).try_into().unwrap_or(u16::MAX);
        is_decided(self.score).then(plies)
    }
}
