//! The scale on which the players of runs are rated: what a rating means, and how sure it is.
//!
//! * A rating difference d says what is scored: E = 1 / (1 + 10^(-d/400)), A. E. Elo's formula, the
//!   same that matches print. Draws have no part in it, so that players who draw more or less than
//!   the baselines do get no other rating for that.
//! * How many games are drawn decides how much a score tells. Given E, the odds of win, draw and
//!   loss are u : ν : 1/u, as R. R. Davidson has them ("On extending the Bradley-Terry model to
//!   accommodate ties in paired comparison experiments", 1970), and ν goes with the strength of the
//!   two, ln ν = β₀ + β₁·(their mean rating), as in M. E. Glickman, "Paired comparison models with
//!   strength-dependent ties and order effects" (2025). u is what makes the mean score E.
//! * Players are no points on a line: what one scores against another strays from what the ratings
//!   say by more than chance. So the difference that a pairing shows is d + ε, ε normal with the
//!   standard deviation τ, which makes chi-square equal to its degrees of freedom (R. C. Paule and
//!   J. Mandel, "Consensus values and weighting factors", 1982). No number of games against one
//!   opponent makes a rating surer than τ.
//! * Both colours of a pairing count together: pairs of games have each colour once.

mod draws;
mod fit;
mod pairings;
mod residuals;

pub(crate) use draws::{DrawCurve, DrawPrior, Outcomes, logistic};
pub(crate) use fit::{ScaleFit, ScaleProblem, information};
pub(crate) use pairings::Pairing;
pub(crate) use residuals::Residuals;

use std::fmt;

use serde::{Deserialize, Serialize};

/// The fit of ratings to results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoodnessOfFit {
    /// Sum over pairings of the squared distance between score and expected score, in units of the
    /// variance that chance gives. About the degrees of freedom where ratings explain everything.
    pub chi_square: f64,
    /// Pairings with enough points to say something, less the ratings that they decide.
    pub degrees_of_freedom: u64,
    /// τ: by how many Elo the difference that two players show strays from that of their ratings,
    /// beyond chance; one standard deviation. It is part of every interval.
    #[serde(rename = "stray_elo")]
    pub overdispersion_elo: f64,
}

impl fmt::Display for GoodnessOfFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "chi-square {:.0} on {} degrees of freedom; scores between two players stray from their \
             ratings by {:.0} Elo beyond chance, which the intervals contain",
            self.chi_square, self.degrees_of_freedom, self.overdispersion_elo
        )
    }
}
