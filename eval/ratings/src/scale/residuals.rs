//! Residuals of a fit, and τ, which accounts for them.

use crate::bisection::bisect;

/// Minimum expected points of the weaker side for a pairing to count.
const MIN_POINTS: f64 = 3.0;
const BISECTIONS: usize = 60;
/// Maximum τ in natural units: 700 Elo.
const MAX_OVERDISPERSION: f64 = 4.0;

/// Squared differences between scores and predictions, one per pairing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Residuals {
    terms: Vec<Term>,
    /// Number of ratings determined by these pairings.
    free: usize,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    /// (score - E)².
    squared: f64,
    /// Variance of the score by chance.
    chance: f64,
    /// Square of the derivative of E with respect to the rating difference.
    slope_squared: f64,
}

impl Residuals {
    /// No pairings yet.
    pub(crate) fn new(free: usize) -> Residuals {
        Residuals {
            terms: Vec::new(),
            free,
        }
    }

    /// Adds a pairing, if it has enough games: score, expected score, variance of one game, games.
    pub(crate) fn add(&mut self, score: f64, expected: f64, variance: f64, games: f64) {
        let slope = expected * (1.0 - expected);
        if games * expected.min(1.0 - expected) >= MIN_POINTS {
            self.terms.push(Term {
                squared: (score - expected).powi(2),
                chance: variance / games,
                slope_squared: slope * slope,
            });
        }
    }

    /// The residuals of two fits together.
    pub(crate) fn with(&self, other: &Residuals) -> Residuals {
        Residuals {
            terms: self.terms.iter().chain(&other.terms).copied().collect(),
            free: self.free + other.free,
        }
    }

    /// Chi-square if τ is 0.
    pub(crate) fn chi_square(&self) -> f64 {
        self.at(0.0)
    }

    pub(crate) fn degrees_of_freedom(&self) -> usize {
        self.terms.len().saturating_sub(self.free)
    }

    /// The τ² that reduces chi-square to the degrees of freedom; 0 if it is already below, or none
    /// are left.
    pub(crate) fn overdispersion_squared(&self) -> f64 {
        let target = self.degrees_of_freedom() as f64;
        if target == 0.0 || self.at(0.0) <= target {
            return 0.0;
        }
        let range = [0.0, MAX_OVERDISPERSION * MAX_OVERDISPERSION];
        let [_, high] = bisect(range, BISECTIONS, |squared| self.at(squared) > target);
        high
    }

    fn at(&self, overdispersion_squared: f64) -> f64 {
        let part = |term: &Term| {
            term.squared / (term.chance + term.slope_squared * overdispersion_squared)
        };
        self.terms.iter().map(part).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tau_brings_chi_square_to_its_degrees_of_freedom() {
        let mut residuals = Residuals::new(1);
        for (score, expected) in [(0.7, 0.6), (0.5, 0.6), (0.9, 0.8), (0.35, 0.5)] {
            residuals.add(score, expected, 0.2, 100.0);
        }
        residuals.add(0.5, 0.999, 0.2, 100.0);
        assert_eq!(residuals.degrees_of_freedom(), 3);
        let tau_squared = residuals.overdispersion_squared();
        assert!(tau_squared > 0.0 && (residuals.at(tau_squared) - 3.0).abs() < 1e-9);
        let mut quiet = Residuals::new(0);
        quiet.add(0.51, 0.5, 0.2, 100.0);
        assert_eq!(quiet.overdispersion_squared(), 0.0);
    }

    #[test]
    fn pairings_with_three_expected_points_say_something() {
        let mut residuals = Residuals::new(0);
        residuals.add(0.1, 0.25, 0.2, 12.0);
        residuals.add(0.9, 0.75, 0.2, 12.0);
        assert_eq!(residuals.degrees_of_freedom(), 2);
        // 2 · 0.15² / (0.2 / 12)
        assert!((residuals.chi_square() - 2.7).abs() < 1e-12);
        residuals.add(0.1, 0.25, 0.2, 11.9);
        residuals.add(0.9, 0.75, 0.2, 11.9);
        assert_eq!(residuals.degrees_of_freedom(), 2);
        // Free ratings use up all degrees of freedom: nothing is left to explain.
        let all = residuals.with(&Residuals::new(5));
        assert_eq!(
            (all.degrees_of_freedom(), all.overdispersion_squared()),
            (0, 0.0)
        );
    }

    /// With one term, τ² = (squared / degrees - chance) / slope².
    #[test]
    fn tau_of_one_pairing() {
        let mut residuals = Residuals::new(0);
        residuals.add(0.8, 0.5, 0.2, 40.0);
        let by_hand = (0.09 - 0.2 / 40.0) / 0.0625;
        assert!((residuals.overdispersion_squared() - by_hand).abs() < 1e-12);
        let mut wild = Residuals::new(0);
        wild.add(0.999, 0.02, 0.01, 1000.0);
        assert_eq!(
            wild.overdispersion_squared(),
            MAX_OVERDISPERSION * MAX_OVERDISPERSION
        );
    }
}
