//! The share of drawn games as a function of the strength of the two players.

use super::pairings::Pairing;
use crate::elo::logistic;

const MAX_STEPS: usize = 50;
const STEP_TOLERANCE: f64 = 1e-9;

/// ln ν = `base` + `slope` · (mean rating of the two, natural units).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DrawCurve {
    pub(crate) base: f64,
    pub(crate) slope: f64,
}

/// The prior of a curve: a normal distribution around `mean`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawPrior {
    pub(crate) mean: DrawCurve,
    /// Standard deviations of base and slope.
    pub(crate) deviation: [f64; 2],
}

impl DrawCurve {
    /// ln ν for two players of this mean rating.
    pub(crate) fn log_nu(&self, strength: f64) -> f64 {
        self.base + self.slope * strength
    }

    /// The most likely curve for these results, given the ratings.
    pub(crate) fn fit(pairings: &[Pairing], ratings: &[f64], prior: &DrawPrior) -> DrawCurve {
        let mut curve = prior.mean;
        for _ in 0..MAX_STEPS {
            let (gradient, [bb, bs, ss]) = curve.expand(pairings, ratings, prior);
            let determinant = bb * ss - bs * bs;
            let step = [
                (ss * gradient[0] - bs * gradient[1]) / determinant,
                (bb * gradient[1] - bs * gradient[0]) / determinant,
            ];
            curve.base += step[0].clamp(-2.0, 2.0);
            curve.slope += step[1].clamp(-0.5, 0.5);
            if step.iter().all(|part| part.abs() < STEP_TOLERANCE) {
                break;
            }
        }
        curve
    }

    /// The gradient of the log-likelihood with respect to base and slope, and the information about
    /// base, both, and slope.
    fn expand(
        &self,
        pairings: &[Pairing],
        ratings: &[f64],
        prior: &DrawPrior,
    ) -> ([f64; 2], [f64; 3]) {
        let [base_weight, slope_weight] = prior.deviation.map(|d| d.powi(-2));
        let mut gradient = [
            base_weight * (prior.mean.base - self.base),
            slope_weight * (prior.mean.slope - self.slope),
        ];
        let (mut bb, mut bs, mut ss) = (base_weight, 0.0, slope_weight);
        for pairing in pairings {
            let (a, b) = (ratings[pairing.a], ratings[pairing.b]);
            let strength = (a + b) / 2.0;
            let odds = Outcomes::new(a - b, self.log_nu(strength));
            // Draws are binomial with share p; p' is the derivative with respect to ln ν.
            let (p, by_log_nu) = (odds.draw, odds.draw_by_log_nu());
            let spread = p * (1.0 - p);
            let score = by_log_nu * (pairing.draws - pairing.played * p) / spread;
            let information = pairing.played * by_log_nu * by_log_nu / spread;
            gradient = [gradient[0] + score, gradient[1] + score * strength];
            bb += information;
            bs += information * strength;
            ss += information * strength * strength;
        }
        (gradient, [bb, bs, ss])
    }
}

/// Probabilities of the outcomes of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcomes {
    /// Probability of the stronger player's win; then of a draw, and of the other's win.
    win: f64,
    pub(crate) draw: f64,
    loss: f64,
}

impl Outcomes {
    /// For a rating difference in natural units. With E its expected score, u solves
    /// (1-E)·u² + ν·(½-E)·u - E = 0.
    pub(crate) fn new(difference: f64, log_nu: f64) -> Outcomes {
        let nu = log_nu.clamp(-20.0, 20.0).exp();
        let expected = logistic(difference.abs().min(20.0));
        let (above, below) = (expected - 0.5, 1.0 - expected);
        let root = (nu * nu * above * above + 4.0 * expected * below).sqrt();
        let u = (nu * above + root) / (2.0 * below);
        let sum = u + nu + u.recip();
        Outcomes {
            win: u / sum,
            draw: nu / sum,
            loss: u.recip() / sum,
        }
    }

    /// Variance of a game's score.
    pub(crate) fn variance(&self) -> f64 {
        let expected = self.win + self.draw / 2.0;
        self.win * (1.0 - expected).powi(2)
            + self.draw * (0.5 - expected).powi(2)
            + self.loss * expected.powi(2)
    }

    /// Derivative of the share of draws with respect to ln ν at a fixed expected score: in an
    /// exponential family, the variance of "drawn" given the score.
    fn draw_by_log_nu(&self) -> f64 {
        let mean = (self.win - self.loss) / 2.0;
        let variance = (self.win + self.loss) / 4.0 - mean * mean;
        self.draw * (1.0 - self.draw) - (self.draw * mean).powi(2) / variance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_the_expected_score_and_the_odds_of_davidson() {
        for (difference, log_nu) in [(0.0, 0.0), (1.0, -2.0), (-2.5, 1.5), (6.0, 3.0)] {
            let odds = Outcomes::new(difference, log_nu);
            assert!((odds.win + odds.draw + odds.loss - 1.0).abs() < 1e-12);
            let expected = odds.win + odds.draw / 2.0;
            assert!((expected - logistic(difference.abs())).abs() < 1e-12);
            // ν² = draw² / (win · loss).
            let nu = odds.draw / (odds.win * odds.loss).sqrt();
            assert!((nu.ln() - log_nu).abs() < 1e-9);
            assert!(
                (odds.variance() - (expected * (1.0 - expected) - odds.draw / 4.0)).abs() < 1e-12
            );
            let slope = (Outcomes::new(difference, log_nu + 1e-5).draw
                - Outcomes::new(difference, log_nu - 1e-5).draw)
                / 2e-5;
            assert!((odds.draw_by_log_nu() - slope).abs() < 1e-7);
        }
    }

    /// Games with the number of draws predicted by this curve, each player against the next.
    fn expected(truth: &DrawCurve, ratings: &[f64]) -> Vec<Pairing> {
        let pairing = |b: usize| {
            let (stronger, weaker) = (ratings[b], ratings[b - 1]);
            let odds = Outcomes::new(weaker - stronger, truth.log_nu((weaker + stronger) / 2.0));
            Pairing {
                a: b - 1,
                b,
                games: 1000.0,
                played: 1000.0,
                score: 0.5,
                draws: 1000.0 * odds.draw,
            }
        };
        (1..ratings.len()).map(pairing).collect()
    }

    #[test]
    fn a_curve_is_found_again() {
        let truth = DrawCurve {
            base: -1.0,
            slope: 0.2,
        };
        let ratings: Vec<f64> = (0..8).map(|i| 1.5 * f64::from(i)).collect();
        let prior = DrawPrior {
            mean: DrawCurve::default(),
            deviation: [10.0, 10.0],
        };
        let found = DrawCurve::fit(&expected(&truth, &ratings), &ratings, &prior);
        assert!((found.base - truth.base).abs() < 0.01, "{found:?}");
        assert!((found.slope - truth.slope).abs() < 0.01, "{found:?}");
    }

    /// With exactly the expected draws the gradient is 0, and the information is its negative
    /// derivative.
    #[test]
    fn what_is_known_of_a_curve_is_the_fall_of_the_gradient() {
        const STEP: f64 = 1e-4;
        let truth = DrawCurve {
            base: -0.7,
            slope: 0.3,
        };
        let ratings = [0.0, 0.8, 2.1, 2.5];
        let pairings = expected(&truth, &ratings);
        let prior = DrawPrior {
            mean: truth,
            deviation: [0.5, 0.1],
        };
        let at = |base: f64, slope: f64| {
            let curve = DrawCurve {
                base: truth.base + base,
                slope: truth.slope + slope,
            };
            curve.expand(&pairings, &ratings, &prior)
        };
        let (gradient, [bb, bs, ss]) = at(0.0, 0.0);
        assert!(gradient.iter().all(|part| part.abs() < 1e-9));
        for ([base, slope], known) in [([STEP, 0.0], [bb, bs]), ([0.0, STEP], [bs, ss])] {
            let (ahead, behind) = (at(base, slope).0, at(-base, -slope).0);
            for part in 0..2 {
                let fall = (behind[part] - ahead[part]) / (2.0 * STEP);
                assert!((fall / known[part] - 1.0).abs() < 1e-4, "{fall} {known:?}");
            }
        }
    }
}
