//! Ratings by quasi-likelihood: only mean and variance of scores matter, not the odds of draws.

use ndarray::{Array1, Array2, Axis};

use super::draws::{DrawCurve, DrawPrior, Outcomes};
use super::pairings::Pairing;
use super::residuals::Residuals;
use crate::cholesky::Cholesky;
use crate::elo::{NATURAL_PER_ELO, logistic};

/// Standard deviation, in Elo, of a normal prior on every rating. It does not move what games
/// determine.
const GUARD_ELO: f64 = 10_000.0;
const MAX_STEPS: usize = 200;
/// Maximum length of a step, in natural units.
const LONGEST_STEP: f64 = 1.0;
const STEP_TOLERANCE: f64 = 1e-9;
/// Maximum number of alternations between fitting the ratings and fitting draws and τ.
const MAX_ROUNDS: usize = 60;

/// The input of a fit.
pub(crate) struct ScaleProblem<'a> {
    pub(crate) pairings: &'a [Pairing],
    /// [player] the given rating, if it is fixed, in natural units
    pub(crate) fixed: &'a [Option<f64>],
    pub(crate) draws: DrawPrior,
    /// Residuals of other pairings for the estimate of τ.
    pub(crate) others: &'a Residuals,
}

/// The ratings and their uncertainty, in natural units.
#[derive(Clone, Debug)]
pub(crate) struct ScaleFit {
    /// [player]
    pub(crate) ratings: Vec<f64>,
    /// [player, player], treating the given ratings as exact.
    pub(crate) covariance: Array2<f64>,
    /// [player, player] derivative of the row's rating with respect to the column's given rating
    pub(crate) follows: Array2<f64>,
    pub(crate) draws: DrawCurve,
    pub(crate) residuals: Residuals,
    /// τ².
    pub(crate) overdispersion_squared: f64,
}

impl ScaleProblem<'_> {
    /// Solves it; `None` if a matrix is numerically singular.
    pub(crate) fn fit(&self) -> Option<ScaleFit> {
        let mut ratings: Vec<f64> = self.fixed.iter().map(|r| r.unwrap_or_default()).collect();
        let (mut draws, mut overdispersion_squared) = (self.draws.mean, 0.0);
        let mut residuals = Residuals::default();
        for _ in 0..MAX_ROUNDS {
            self.climb(&mut ratings, draws, overdispersion_squared)?;
            draws = DrawCurve::fit(self.pairings, &ratings, &self.draws);
            residuals = self.residuals(&ratings, draws);
            let before = overdispersion_squared;
            overdispersion_squared = residuals.with(self.others).overdispersion_squared();
            if is_settled(before, overdispersion_squared) {
                break;
            }
        }
        let (_, information) = self.expand(&ratings, draws, overdispersion_squared);
        let (free, given): (Vec<usize>, Vec<usize>) =
            (0..ratings.len()).partition(|&player| self.fixed[player].is_none());
        let rows = information.select(Axis(0), &free);
        let inverse = Cholesky::new(&rows.select(Axis(1), &free))?.inverse();
        let following = -inverse.dot(&rows.select(Axis(1), &given));
        let mut covariance = Array2::zeros(information.raw_dim());
        let mut follows = covariance.clone();
        for ((row, column), &value) in inverse.indexed_iter() {
            covariance[[free[row], free[column]]] = value;
        }
        for ((row, column), &value) in following.indexed_iter() {
            follows[[free[row], given[column]]] = value;
        }
        Some(ScaleFit {
            ratings,
            covariance,
            follows,
            draws,
            residuals,
            overdispersion_squared,
        })
    }

    /// Fisher scoring, starting at `ratings`.
    fn climb(
        &self,
        ratings: &mut [f64],
        draws: DrawCurve,
        overdispersion_squared: f64,
    ) -> Option<()> {
        let free: Vec<usize> = (0..ratings.len())
            .filter(|&p| self.fixed[p].is_none())
            .collect();
        for _ in 0..MAX_STEPS {
            let (gradient, information) = self.expand(ratings, draws, overdispersion_squared);
            let information = information.select(Axis(0), &free).select(Axis(1), &free);
            let step = Cholesky::new(&information)?.solve(gradient.select(Axis(0), &free).view());
            let longest = step.iter().fold(0.0, |max: f64, s| max.max(s.abs()));
            let scale = (LONGEST_STEP / longest).min(1.0);
            for (&player, step) in free.iter().zip(&step) {
                ratings[player] += scale * step;
            }
            if longest.is_nan() || longest <= STEP_TOLERANCE {
                break;
            }
        }
        Some(())
    }

    /// Gradient of the quasi-likelihood, and its expected curvature.
    fn expand(
        &self,
        ratings: &[f64],
        draws: DrawCurve,
        overdispersion_squared: f64,
    ) -> (Array1<f64>, Array2<f64>) {
        let guard = (GUARD_ELO * NATURAL_PER_ELO).powi(-2);
        let mut gradient = Array1::from_iter(ratings.iter().map(|rating| -guard * rating));
        let mut information = Array2::eye(ratings.len()) * guard;
        for &Pairing {
            a, b, games, score, ..
        } in self.pairings
        {
            let difference = ratings[a] - ratings[b];
            let log_nu = draws.log_nu((ratings[a] + ratings[b]) / 2.0);
            let weight = information_of(difference, log_nu, games, overdispersion_squared);
            let expected = logistic(difference);
            let pull = weight * (score - expected) / (expected * (1.0 - expected)).max(1e-12);
            gradient[a] += pull;
            gradient[b] -= pull;
            for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                information[[row, column]] += sign * weight;
            }
        }
        (gradient, information)
    }

    fn residuals(&self, ratings: &[f64], draws: DrawCurve) -> Residuals {
        let is_free = |player: &usize| self.fixed[*player].is_none();
        let mut residuals = Residuals::new((0..ratings.len()).filter(is_free).count());
        for pairing in self.pairings {
            let (a, b) = (ratings[pairing.a], ratings[pairing.b]);
            let variance = Outcomes::new(a - b, draws.log_nu((a + b) / 2.0)).variance();
            residuals.add(pairing.score, logistic(a - b), variance, pairing.games);
        }
        residuals
    }
}

/// Returns `true` if τ² has converged.
fn is_settled(before: f64, overdispersion_squared: f64) -> bool {
    (overdispersion_squared - before).abs() < 1e-7 * (1.0 + before)
}

/// The information of `games` games between two players about their rating difference: the inverse
/// of the variance by chance and τ² together.
pub(crate) fn information(fit: &ScaleFit, [a, b]: [f64; 2], games: f64) -> f64 {
    let log_nu = fit.draws.log_nu((a + b) / 2.0);
    information_of(a - b, log_nu, games, fit.overdispersion_squared)
}

fn information_of(difference: f64, log_nu: f64, games: f64, overdispersion_squared: f64) -> f64 {
    let expected = logistic(difference);
    let slope = (expected * (1.0 - expected)).max(1e-12);
    let chance = Outcomes::new(difference, log_nu).variance() / (games * slope * slope);
    (chance + overdispersion_squared).recip()
}

#[cfg(test)]
mod tests {
    use super::super::draws::DrawCurve;
    use super::*;

    #[test]
    fn what_changes_by_a_ten_millionth_is_settled() {
        assert!(is_settled(0.0, 0.9e-7) && !is_settled(0.0, 1.1e-7));
        for sign in [1.0, -1.0] {
            assert!(is_settled(3.0, 3.0 + sign * 3.9e-7));
            assert!(!is_settled(3.0, 3.0 + sign * 4.1e-7));
        }
    }

    /// A player follows the given ratings, independent of the players' numbering.
    #[test]
    fn a_rating_follows_those_that_are_given() {
        let pairing = |a, b, score| Pairing {
            a,
            b,
            games: 100.0,
            score,
            draws: 0.0,
            played: 100.0,
        };
        let draws = DrawPrior {
            mean: DrawCurve::default(),
            deviation: [1.0, 0.1],
        };
        for (free, pairings) in [
            (2, [pairing(0, 2, 0.4), pairing(1, 2, 0.7)]),
            (0, [pairing(0, 1, 0.6), pairing(0, 2, 0.3)]),
            (1, [pairing(0, 1, 0.4), pairing(1, 2, 0.3)]),
        ] {
            let mut fixed = vec![Some(1.0), Some(2.0)];
            fixed.insert(free, None);
            let fit = ScaleProblem {
                pairings: &pairings,
                fixed: &fixed,
                draws,
                others: &Residuals::default(),
            }
            .fit()
            .expect("a fit");
            let follows = fit.follows.row(free);
            assert_eq!(follows[free], 0.0);
            let given = (0..3).filter(|&player| player != free);
            assert!(
                given.clone().all(|player| follows[player] > 0.3),
                "{follows}"
            );
            let sum: f64 = given.map(|player| follows[player]).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{follows}");
        }
    }
}
