//! Results of games and the rules that end them.

use crate::{Color, OneKingEach, Position};

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This side won.
    Win(Color, WinReason),
    /// Nobody won.
    Draw(DrawReason),
}

/// Why the side to move lost.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WinReason {
    /// It has no pieces left.
    NoPieces,
    /// None of its pieces can move.
    Blocked,
    /// It broke the terms of a match: out of time, an illegal move, no answer. No position says so.
    Forfeit,
    /// It gave the game up.
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

impl Position {
    /// The result in this position, if the game is over and repetition is left out of account.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome_with(self.has_moves(), 0)
    }

    /// The result in this position, for callers that know whether the side to move can move, and
    /// how often the same position stood on the board before.
    ///
    /// A side that cannot move has lost before any draw is looked at.
    #[inline]
    pub fn outcome_with(&self, has_moves: bool, repetitions: u32) -> Option<Outcome> {
        let rules = self.variant().rules();
        if !has_moves {
            let alone = self.pieces(self.turn()).is_empty();
            let reason = if alone {
                WinReason::NoPieces
            } else {
                WinReason::Blocked
            };
            return Some(Outcome::Win(!self.turn(), reason));
        }
        if self.occupied() == self.all_kings()
            && let Some(reason) = self.material_draw()
        {
            return Some(Outcome::Draw(reason));
        }
        if repetitions >= 2 {
            return Some(Outcome::Draw(DrawReason::Repetition));
        }
        (self.no_progress() >= rules.no_progress_limit)
            .then_some(Outcome::Draw(DrawReason::NoProgress))
    }

    /// The draws of endings without men.
    fn material_draw(&self) -> Option<DrawReason> {
        let rules = self.variant().rules();
        let counts = Color::ALL.map(|color| self.pieces(color).count());
        match counts {
            [1, 1] => {
                let drawn = match rules.one_king_each {
                    OneKingEach::PlayOn => false,
                    OneKingEach::DrawnAfterPlies(limit) => self.no_progress() >= limit,
                    OneKingEach::DrawnUnlessCapture => {
                        !self.legal_moves().iter().any(|mv| mv.is_capture())
                    }
                };
                drawn.then_some(DrawReason::OneKingEach)
            }
            [1, 2] | [2, 1] => {
                let limit = rules.two_kings_v_one_limit;
                (limit > 0 && self.no_progress() >= limit).then_some(DrawReason::TwoKingsVOne)
            }
            _ => None,
        }
    }
}
