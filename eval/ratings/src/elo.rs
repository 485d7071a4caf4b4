//! Elo differences from the results of pairs, with their uncertainty.

use std::fmt;

use serde::{Deserialize, Serialize};
use types::tidy;

use crate::pentanomial::Pentanomial;

/// Half-width of a 95 % interval, in standard deviations.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Natural units of the logistic function per Elo: ln 10 / 400.
pub(crate) const NATURAL_PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

/// Normalized Elo per unit of (score - ½) / (standard deviation of a game): 800 / ln 10.
pub(crate) const NELO_PER_SIGMA: f64 = 800.0 / std::f64::consts::LN_10;

/// Expected score of a player who is `elo` stronger: `1 / (1 + 10^(-elo/400))`.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The logistic function.
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Elo difference of a score; infinite at 0 and 1. Inverse of [`expected_score`].
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// An Elo difference and its 95 % interval. `None` means unbounded: a perfect score proves no
/// number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EloInterval {
    /// The difference for the mean score.
    pub elo: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

impl EloInterval {
    /// The first player's advantage over the second; the interval is based on the variance of
    /// pairs.
    pub fn from_pairs(pairs: &Pentanomial) -> Self {
        if pairs.pairs() == 0 {
            return Self::default();
        }
        Self::around(pairs.score(), Z_95 * standard_error(pairs))
    }

    /// The Elo difference of a score whose interval has this half-width.
    pub fn around(score: f64, half_width: f64) -> Self {
        let bounded =
            |score: f64| Some(elo_of_score(score.clamp(0.0, 1.0))).filter(|e| e.is_finite());
        Self {
            elo: bounded(score),
            low: bounded(score - half_width),
            high: bounded(score + half_width),
        }
    }
}

impl fmt::Display for EloInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |elo: Option<f64>| elo.map(|elo| tidy(elo, 0));
        match (whole(self.elo), whole(self.low), whole(self.high)) {
            (Some(elo), Some(low), Some(high)) => write!(f, "{elo:+.0} [{low:+.0}, {high:+.0}]"),
            (_, Some(low), None) => write!(f, "above {low:+.0}"),
            (_, None, Some(high)) => write!(f, "below {high:+.0}"),
            _ => write!(f, "unknown"),
        }
    }
}

/// Normalized Elo: (score - ½) in standard deviations of one game, times 800 / ln 10. The length of
/// a test depends only on it, whatever the share of draws.
pub fn normalized_elo(pairs: &Pentanomial) -> f64 {
    (pairs.score() - 0.5) / (2.0 * pairs.variance()).sqrt() * NELO_PER_SIGMA
}

/// The probability that the first player is the stronger one, given the results of pairs; one half
/// without any.
pub fn likelihood_of_superiority(pairs: &Pentanomial) -> f64 {
    normal_cdf((pairs.score() - 0.5) / standard_error(pairs))
}

/// The standard normal distribution function, `erfc(-z / √2) / 2`.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// Half-width of a 95 % interval, in standard deviations that are themselves estimated with this
/// many degrees of freedom: Student's quantile, by the series of R. A. Fisher and E. A. Cornish
/// (1960). 0 degrees mean that nothing was estimated; 1 to 3 count as 4, because with fewer an
/// interval says nothing.
pub(crate) fn student_95(degrees_of_freedom: usize) -> f64 {
    if degrees_of_freedom == 0 {
        return Z_95;
    }
    let (z, n) = (Z_95, degrees_of_freedom.max(4) as f64);
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    z + terms[0] / n + terms[1] / (n * n) + terms[2] / (n * n * n)
}

/// Standard error of the mean score.
fn standard_error(pairs: &Pentanomial) -> f64 {
    (pairs.variance() / pairs.pairs() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_and_elo_are_inverse() {
        assert_eq!(expected_score(0.0), 0.5);
        assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert!((elo_of_score(expected_score(123.0)) - 123.0).abs() < 1e-9);
    }

    #[test]
    fn normal_distribution_at_known_points() {
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-Z_95, 0.025),
            (3.0, 0.998_650_101_968_370),
        ] {
            assert!((normal_cdf(z) - p).abs() < 1e-14, "{z}");
        }
    }

    #[test]
    fn few_degrees_of_freedom_make_intervals_wider() {
        for (degrees, quantile, error) in [
            (5, 2.570_581_8, 3e-3),
            (10, 2.228_138_9, 2e-4),
            (30, 2.042_272_5, 3e-6),
            (100, 1.983_971_5, 1e-7),
        ] {
            assert!((student_95(degrees) - quantile).abs() < error, "{degrees}");
        }
        assert_eq!(student_95(0), Z_95);
    }

    #[test]
    fn a_perfect_score_has_no_upper_end() {
        let estimate = EloInterval::from_pairs(&Pentanomial([0, 0, 0, 0, 20]));
        assert_eq!((estimate.elo, estimate.high), (None, None));
        assert!(estimate.low.unwrap() > 200.0);
        assert!(estimate.to_string().starts_with("above +"));
        let text = |pairs| EloInterval::from_pairs(&Pentanomial(pairs)).to_string();
        assert!(text([20, 0, 0, 0, 0]).starts_with("below -"));
        assert_eq!(text([0; 5]), "unknown");
        assert_eq!(text([0, 10, 40, 20, 0]), "+25 [-3, +53]");
    }

    /// Figures of an independent program: a score of 0.535714 ± 0.020348.
    #[test]
    fn how_likely_it_is_that_the_first_is_stronger() {
        let pairs = Pentanomial([0, 10, 40, 20, 0]);
        assert!((likelihood_of_superiority(&pairs) - 0.960_384_014_863_592).abs() < 1e-12);
        assert!((normalized_elo(&pairs) - 51.537_928_045_262).abs() < 1e-9);
        assert_eq!(likelihood_of_superiority(&Pentanomial::default()), 0.5);
    }

    #[test]
    fn colors_swapped_turn_the_sign() {
        let there = EloInterval::from_pairs(&Pentanomial([3, 5, 20, 11, 9]));
        let back = EloInterval::from_pairs(&Pentanomial([9, 11, 20, 5, 3]));
        assert!((there.elo.unwrap() + back.elo.unwrap()).abs() < 1e-9);
        assert!((there.low.unwrap() + back.high.unwrap()).abs() < 1e-9);
        let sum = likelihood_of_superiority(&Pentanomial([3, 5, 20, 11, 9]))
            + likelihood_of_superiority(&Pentanomial([9, 11, 20, 5, 3]));
        assert!((sum - 1.0).abs() < 1e-14);
    }
}
