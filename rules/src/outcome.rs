//! Results of games.

use crate::Color;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This side won.
    Win(Color, WinReason),
    /// Nobody won.
    Draw(DrawReason),
}

/// Why a side won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WinReason {
    /// The side to move has no pieces left.
    NoPieces,
    /// No piece of the side to move can move.
    Blocked,
    /// The loser broke the terms of a match: out of time, an illegal move, no answer. No position says so.
    Forfeit,
    /// The loser gave the game up.
    Resigned,
    /// Somebody who knows better ended the game: an endgame database. No position says so.
    Adjudicated,
}

/// Why a game was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawReason {
    /// The same position stood on the board for the third time.
    Repetition,
    /// Too many plies in a row without a capture or a man move.
    NoProgress,
    /// Two kings did not beat one in time.
    TwoKingsVOne,
    /// One king against one, and nothing left to hope for.
    OneKingEach,
    /// Too many plies in a row without a capture or a man move for the few pieces that are left.
    FewPieces,
    /// Both sides agreed. No position says so.
    Agreed,
    /// Somebody who knows better ended the game: an endgame database. No position says so.
    Adjudicated,
}

impl Outcome {
    /// The reason in the words of the records and the command line.
    pub const fn reason(self) -> &'static str {
        match self {
            Outcome::Win(_, WinReason::NoPieces) => "no-pieces",
            Outcome::Win(_, WinReason::Blocked) => "blocked",
            Outcome::Win(_, WinReason::Forfeit) => "forfeit",
            Outcome::Win(_, WinReason::Resigned) => "resigned",
            Outcome::Win(_, WinReason::Adjudicated) | Outcome::Draw(DrawReason::Adjudicated) => {
                "adjudicated"
            }
            Outcome::Draw(DrawReason::Agreed) => "agreed",
            Outcome::Draw(DrawReason::Repetition) => "repetition",
            Outcome::Draw(DrawReason::NoProgress) => "no-progress",
            Outcome::Draw(DrawReason::TwoKingsVOne) => "two-kings-v-one",
            Outcome::Draw(DrawReason::OneKingEach) => "one-king-each",
            Outcome::Draw(DrawReason::FewPieces) => "few-pieces",
        }
    }

    /// The side that won, if one did.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::Win(color, _) => Some(color),
            Outcome::Draw(_) => None,
        }
    }

    /// Points for a side in halves: 2 for a win, 1 for a draw, 0 for a loss.
    pub fn half_points(self, color: Color) -> u32 {
        match self.winner() {
            Some(winner) if winner == color => 2,
            Some(_) => 0,
            None => 1,
        }
    }
}

/// `ongoing` while there is no outcome, then `white` or `black`, the side that won, or `draw`.
pub fn status(outcome: Option<Outcome>) -> &'static str {
    match outcome.map(Outcome::winner) {
        None => "ongoing",
        Some(Some(Color::White)) => "white",
        Some(Some(Color::Black)) => "black",
        Some(None) => "draw",
    }
}
