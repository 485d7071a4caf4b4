//! Scores: what a position is worth to the side to move.
//!
//! The unit is a hundredth of the logit of the expected result, so that 100 means 73 points of a hundred
//! games: about one man up.

/// The score of one unit of that logit.
pub const LOGIT: i32 = 100;
/// A win at the root. A win `n` plies later is worth `n` less.
pub const WIN: i32 = 30_000;
/// More than any score.
pub(crate) const INFINITY: i32 = WIN + 1;
/// No line is longer than this, so that a score beyond `WIN - MAX_PLIES` is a forced win.
pub(crate) const MAX_PLIES: usize = 256;
/// The largest score of an evaluation: it never looks like a forced win.
pub const MAX_EVALUATION: i32 = 20_000;

/// Whether a score means a forced win or loss.
pub const fn is_decided(score: i32) -> bool {
    score.abs() >= WIN - 2 * MAX_PLIES as i32
}

/// The plies to the end of the game, if the score means a forced win or loss.
pub(crate) fn plies_to_end(score: i32) -> Option<u16> {
    is_decided(score).then(|| (WIN - score.abs()).try_into().unwrap_or(u16::MAX))
}

/// Bounds between which a score matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// Everything matters.
    pub(crate) const FULL: Window = Window {
        alpha: -INFINITY,
        beta: INFINITY,
    };

    /// Only asks whether the score is above `alpha`.
    pub(crate) const fn above(alpha: i32) -> Window {
        Window {
            alpha,
            beta: alpha + 1,
        }
    }

    /// Whether it only asks a question of yes or no.
    pub(crate) const fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// The same bounds from the opponent's view.
    pub(crate) const fn flipped(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}
