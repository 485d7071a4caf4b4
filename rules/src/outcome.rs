//! Results of games.

use crate::Color;

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This side won.
    Win(Color, WinReason),
    /// A draw.
    Draw(DrawReason),
}

/// The reason for a win.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WinReason {
    /// The side to move has no pieces left.
    NoPieces,
    /// No piece of the side to move can move.
    Blocked,
    /// The winner has the first king.
    FirstKing,
    /// The loser violated the match conditions: out of time, an illegal move, no answer. Not
    /// determined by the position.
    Forfeit,
    /// The loser resigned.
    Resigned,
    /// The game was adjudicated. Not determined by the position.
    Adjudicated,
}

/// The reason for a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawReason {
    /// The same position occurred for the third time.
    Repetition,
    /// Too many consecutive plies without a capture or a man move.
    NoProgress,
    /// Two kings did not beat one in time.
    TwoKingsVOne,
    /// One king each, which cannot be won.
    OneKingEach,
    /// Too many consecutive plies without a capture or a man move for the few pieces left.
    FewPieces,
    /// The players agreed. Not determined by the position.
    Agreed,
    /// The game was adjudicated. Not determined by the position.
    Adjudicated,
}

impl Outcome {
    /// The name of the reason in records and on the command line.
    pub const fn reason(self) -> &'static str {
        match self {
            Outcome::Win(_, WinReason::NoPieces) => "no-pieces",
            Outcome::Win(_, WinReason::Blocked) => "blocked",
            Outcome::Win(_, WinReason::FirstKing) => "first-king",
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

    /// The winner, if any.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::Win(color, _) => Some(color),
            Outcome::Draw(_) => None,
        }
    }

    /// Points of a side in halves: 2 for a win, 1 for a draw, 0 for a loss.
    pub fn half_points(self, color: Color) -> u32 {
        match self.winner() {
            Some(winner) if winner == color => 2,
            Some(_) => 0,
            None => 1,
        }
    }
}

/// `ongoing` without an outcome, otherwise `white` or `black` for the winner, or `draw`.
pub fn status(outcome: Option<Outcome>) -> &'static str {
    match outcome.map(Outcome::winner) {
        None => "ongoing",
        Some(Some(winner)) => winner.name(),
        Some(None) => "draw",
    }
}
