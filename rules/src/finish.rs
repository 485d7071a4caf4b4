//! The end of a game: results and draw rules of a position.

use crate::{Color, DrawReason, DrawRule, Draws, Goal, Outcome, Position, WinReason};

impl Position {
    /// The result in this position, if the game is over, ignoring repetition.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome_with(self.has_moves(), 0)
    }

    /// The result in this position, given whether the side to move has a legal move and the number
    /// of earlier occurrences of the position.
    ///
    /// Draw rules are checked only if the side to move has a legal move.
    #[inline]
    pub fn outcome_with(&self, has_moves: bool, repetitions: u32) -> Option<Outcome> {
        let rules = self.variant().rules();
        if has_moves {
            let reason = rules.draws.reason(self, repetitions)?;
            return Some(Outcome::Draw(reason));
        }
        let reason = match self.pieces(self.turn()).is_empty() {
            _ if self.has_first_king() => WinReason::FirstKing,
            true => WinReason::NoPieces,
            false => WinReason::Blocked,
        };
        Some(Outcome::Win(self.winner(), reason))
    }

    /// The winner, given that the side to move has no legal move. Of two sides with kings, where
    /// the first king wins, it is the side that moved last.
    pub fn winner(&self) -> Color {
        let turn = self.turn();
        let is_won = match self.variant().rules().goal {
            Goal::Win => false,
            Goal::Misere => true,
            Goal::FirstKing => self.has_first_king() && self.kings(!turn).is_empty(),
        };
        if is_won { turn } else { !turn }
    }

    /// True if a king has ended the game.
    #[inline]
    fn has_first_king(&self) -> bool {
        self.variant().rules().goal == Goal::FirstKing && !self.all_kings().is_empty()
    }
}

impl Draws {
    /// The reason for a draw in a position with a legal move that has occurred this many times
    /// before.
    #[inline]
    pub(crate) fn reason(&self, position: &Position, repetitions: u32) -> Option<DrawReason> {
        if position.no_progress() < self.earliest && repetitions == 0 {
            return None;
        }
        let may_be_ending = self.endings_have_men || position.occupied() == position.all_kings();
        let is_late =
            repetitions + 1 >= self.repetition || position.no_progress() >= self.no_progress;
        if is_late || may_be_ending && position.occupied().count() <= self.largest_ending {
            self.first_that_applies(position, repetitions)
        } else {
            None
        }
    }

    #[inline(never)]
    fn first_that_applies(&self, position: &Position, repetitions: u32) -> Option<DrawReason> {
        let mut rules = self.rules.iter();
        let rule = rules.find(|rule| self.applies(rule, position, repetitions));
        rule.map(DrawRule::reason)
    }

    fn applies(&self, rule: &DrawRule, position: &Position, repetitions: u32) -> bool {
        let [black, white] = Color::ALL.map(|color| position.army(color));
        match *rule {
            DrawRule::Ending {
                ending,
                plies,
                unless_capture,
                ..
            } => {
                let is_open =
                    || unless_capture && position.legal_moves().iter().any(|mv| mv.is_capture());
                ending.covers(black, white) && position.no_progress() >= plies && !is_open()
            }
            DrawRule::MainRoad { .. } => false,
            DrawRule::Repetition { times } => repetitions + 1 >= times,
            DrawRule::NoProgress { .. } => position.no_progress() >= self.limit(black, white),
        }
    }
}
