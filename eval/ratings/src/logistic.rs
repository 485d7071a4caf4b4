//! Logistic regression of results, and ratios of its weights.

use ndarray::{Array1, Array2, ArrayView1};

use crate::cholesky::Cholesky;
use crate::elo::{Z_95, logistic};
use crate::estimate::Estimate;

/// Steps of Newton's method at most: it needs about six.
const MAX_STEPS: usize = 40;
/// A weight beyond this means that the features separate the results.
const MAX_WEIGHT: f64 = 30.0;

/// A position, or another case, and how its game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case<const N: usize> {
    /// The features.
    pub features: [f64; N],
    /// The score, from 0 to 1.
    pub score: f64,
    /// The game: cases of one game depend on each other, and follow each other in a list.
    pub game: usize,
}

/// A fit of `E(score) = 1 / (1 + exp(-w·x))` by quasi-maximum likelihood, in which a draw counts as
/// half a win (Papke and Wooldridge 1996). Its covariance allows for the dependence of cases of one
/// game (Liang and Zeger 1986).
#[derive(Clone, Debug)]
pub struct Logistic {
    weights: Array1<f64>,
    covariance: Array2<f64>,
}

impl Logistic {
    /// Fits the weights; `None` if the cases do not determine them.
    pub fn fit<const N: usize>(cases: &[Case<N>]) -> Option<Logistic> {
        let mut weights = Array1::zeros(N);
        for _ in 0..MAX_STEPS {
            let mut gradient = Array1::zeros(N);
            let mut curvature = Array2::zeros((N, N));
            for case in cases {
                let x = ArrayView1::from(&case.features);
                let expected = expected(&weights, x);
                gradient.scaled_add(case.score - expected, &x);
                add_square(&mut curvature, x, expected * (1.0 - expected));
            }
            let factor = Cholesky::new(&curvature)?;
            let step = factor.solve(gradient.view());
            weights += &step;
            if weights.iter().any(|weight: &f64| weight.abs() > MAX_WEIGHT) {
                return None;
            }
            if step.iter().all(|part| part.abs() < 1e-9) {
                let inverse = factor.inverse();
                let spread = spread(&weights, cases)?;
                let covariance = inverse.dot(&spread).dot(&inverse);
                return Some(Logistic {
                    weights,
                    covariance,
                });
            }
        }
        None
    }

    /// A weight, with its interval.
    pub fn weight(&self, index: usize) -> Estimate {
        let error = self.covariance[[index, index]].sqrt();
        Estimate::around(self.weights[index], Z_95 * error)
    }

    /// The ratio of two weights with the interval of E. C. Fieller (1954); `None` if the second
    /// weight may be 0, so that the interval has no end.
    pub fn ratio(&self, first: usize, second: usize) -> Option<Estimate> {
        let part = |i: usize, j: usize| {
            self.weights[i] * self.weights[j] - Z_95 * Z_95 * self.covariance[[i, j]]
        };
        let (a, b, c) = (
            part(second, second),
            part(first, second),
            part(first, first),
        );
        let root = (b * b - a * c).max(0.0).sqrt();
        (a > 0.0).then(|| Estimate {
            value: self.weights[first] / self.weights[second],
            ci95: [(b - root) / a, (b + root) / a],
        })
    }
}

fn expected(weights: &Array1<f64>, x: ArrayView1<'_, f64>) -> f64 {
    logistic(weights.dot(&x))
}

/// Adds `factor · x · xᵀ`.
fn add_square(sum: &mut Array2<f64>, x: ArrayView1<'_, f64>, factor: f64) {
    for (mut row, one) in sum.rows_mut().into_iter().zip(x) {
        row.scaled_add(factor * one, &x);
    }
}

/// The covariance of the gradient, whose independent parts are games; `None` for a single game.
fn spread<const N: usize>(weights: &Array1<f64>, cases: &[Case<N>]) -> Option<Array2<f64>> {
    let (mut sum, mut games) = (Array2::zeros((N, N)), 0.0);
    for game in cases.chunk_by(|one, next| one.game == next.game) {
        let mut gradient = Array1::zeros(N);
        for case in game {
            let x = ArrayView1::from(&case.features);
            gradient.scaled_add(case.score - expected(weights, x), &x);
        }
        add_square(&mut sum, gradient.view(), 1.0);
        games += 1.0;
    }
    (games > 1.0).then(|| sum * (games / (games - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, x and a score; every case is a game of its own, unless `repeated` times the same.
    fn cases(cells: &[(f64, u32, u32)], repeated: usize) -> Vec<Case<2>> {
        let mut cases = Vec::new();
        for &(x, wins, losses) in cells {
            for index in 0..wins + losses {
                let score = f64::from(u8::from(index < wins));
                let game = cases.len();
                let features = [1.0, x];
                cases.extend(vec![
                    Case {
                        features,
                        score,
                        game
                    };
                    repeated
                ]);
            }
        }
        cases
    }

    #[test]
    fn a_table_of_two_by_two_has_a_known_fit() {
        // The weights are the logarithms of odds, ln(20/80) and the logarithm of the odds ratio;
        // the variance of the latter is the sum of the reciprocals.
        let cells = [(0.0, 20, 80), (1.0, 60, 40)];
        let fit = Logistic::fit(&cases(&cells, 1)).unwrap();
        let (base, slope) = (fit.weight(0), fit.weight(1));
        assert!((base.value - 0.25_f64.ln()).abs() < 1e-9);
        assert!((slope.value - 6.0_f64.ln()).abs() < 1e-9);
        let error = (1.0 / 20.0 + 1.0 / 80.0 + 1.0 / 60.0 + 1.0 / 40.0_f64).sqrt();
        let correction = (200.0 / 199.0_f64).sqrt();
        assert!(
            (slope.ci95[1] - slope.value - Z_95 * error * correction).abs() < 1e-6,
            "{slope:?}"
        );
    }

    #[test]
    fn repeated_cases_of_a_game_are_no_new_evidence() {
        let cells = [(0.0, 20, 80), (1.0, 60, 40)];
        let widths = [1, 9].map(|n| {
            let fit = Logistic::fit(&cases(&cells, n)).unwrap();
            let weight = fit.weight(1);
            weight.ci95[1] - weight.value
        });
        assert!((widths[0] - widths[1]).abs() < 1e-9, "{widths:?}");
    }

    #[test]
    fn ratios_have_intervals_with_ends_only_if_they_are_determined() {
        let fit = Logistic {
            weights: Array1::from(vec![6.0, 2.0]),
            covariance: Array2::from_diag(&Array1::from(vec![0.01, 0.01])),
        };
        let ratio = fit.ratio(0, 1).unwrap();
        // By the delta method the error is sqrt(0.01 + 9 * 0.01) / 2 = 0.158.
        assert_eq!(ratio.value, 3.0);
        let width = (ratio.ci95[1] - ratio.ci95[0]) / 2.0;
        assert!((width - Z_95 * 0.158).abs() < 0.01, "{ratio:?}");
        assert!(ratio.ci95[1] - 3.0 > 3.0 - ratio.ci95[0]);
        let vague = Logistic {
            weights: Array1::from(vec![6.0, 0.15]),
            ..fit
        };
        assert_eq!(vague.ratio(0, 1), None);
    }

    #[test]
    fn results_that_are_separated_or_say_nothing_have_no_fit() {
        assert!(Logistic::fit(&cases(&[(-1.0, 0, 9), (1.0, 9, 0)], 1)).is_none());
        assert!(Logistic::fit(&cases(&[(0.0, 5, 5)], 1)).is_none());
        assert!(Logistic::fit::<2>(&[]).is_none());
    }
}
