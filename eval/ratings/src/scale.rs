//! The rating scale for players of runs: the meaning of ratings and their uncertainty.
//!
//! * A rating difference d predicts the score E = 1 / (1 + 10^(-d/400)), A. E. Elo's formula, the
//!   same that matches print. It does not depend on draws, so players who draw more or less than
//!   the baselines get no different rating for that.
//! * The share of draws determines how much a score tells. Given E, the odds of win, draw and loss
//!   are u : ν : 1/u, as in R. R. Davidson ("On extending the Bradley-Terry model to accommodate
//!   ties in paired comparison experiments", 1970), and ν depends on the strength of the two, ln ν
//!   = β₀ + β₁·(their mean rating), as in M. E. Glickman, "Paired comparison models with
//!   strength-dependent ties and order effects" (2025). u is chosen so that the mean score is E.
//! * One number per player is not enough: scores between two players differ from the prediction by
//!   more than chance (overdispersion). The difference shown by a pairing is therefore d + ε, with
//!   ε normal and of standard deviation τ, which is chosen so that chi-square equals its degrees of
//!   freedom (R. C. Paule and J. Mandel, "Consensus values and weighting factors", 1982). No number
//!   of games against one opponent makes a rating more certain than τ.
//! * Both colors of a pairing are counted together, because pairs of games have each color once.

mod draws;
mod fit;
mod pairings;
mod residuals;

pub(crate) use draws::{DrawCurve, DrawPrior, Outcomes};
pub(crate) use fit::{ScaleFit, ScaleProblem, information};
pub(crate) use pairings::Pairing;
pub(crate) use residuals::Residuals;

use std::fmt;

use serde::{Deserialize, Serialize};

/// Goodness of fit of ratings to results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoodnessOfFit {
    /// Sum over pairings of the squared difference between score and expected score, in units of
    /// its variance by chance. About equal to the degrees of freedom if the ratings explain
    /// everything.
    pub chi_square: f64,
    /// Number of pairings with enough points, minus the number of ratings that they determine.
    pub degrees_of_freedom: u64,
    /// τ, the overdispersion: standard deviation, in Elo beyond chance, of the difference shown by
    /// a pairing from the rating difference. It is part of every interval.
    #[serde(rename = "stray_elo")]
    pub overdispersion_elo: f64,
}

impl fmt::Display for GoodnessOfFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "chi-square {:.0} on {} degrees of freedom; scores between two players differ\n\
             from their ratings by {:.0} Elo beyond chance, which the intervals include",
            self.chi_square, self.degrees_of_freedom, self.overdispersion_elo
        )
    }
}
