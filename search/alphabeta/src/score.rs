//! Scores for the side to move.
//!
//! The unit is a hundredth of the logit of the expected result: 100 corresponds to an expected
//! score of 73 %, about one man up.

/// One unit of the logit of the expected result.
pub const LOGIT: i32 = 100;
/// A win at the root. A win `n` plies later scores `n` less.
pub const WIN: i32 = 30_000;
/// A bound above all scores.
pub(crate) const INFINITY: i32 = WIN + 1;
/// The maximum length of a line. A score beyond `WIN - MAX_PLIES` is a forced win.
pub(crate) const MAX_PLIES: usize = 256;
/// The largest score of a static evaluation: never confused with a forced win.
pub const MAX_EVALUATION: i32 = 20_000;

/// True if a score is a forced win or loss.
pub const fn is_decided(score: i32) -> bool {
    score.abs() >= WIN - 2 * MAX_PLIES as i32
}

/// The score of a win in this many plies, as an [`Oracle`](crate::Oracle) gives it.
pub fn win_in(plies: u16) -> i32 {
    WIN - i32::from(plies).min(MAX_PLIES as i32)
}

/// An alpha-beta window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// The full window.
    pub(crate) const FULL: Window = Window {
        alpha: -INFINITY,
        beta: INFINITY,
    };

    /// A null window just above `alpha`.
    pub(crate) const fn above(alpha: i32) -> Window {
        Window {
            alpha,
            beta: alpha + 1,
        }
    }

    /// True for a null window.
    pub(crate) const fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }

    /// The same window from the opponent's point of view.
    pub(crate) const fn flipped(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}
