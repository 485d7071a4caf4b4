//! Sequential test of two hypotheses: generalized SPRT on pairs, bounds in normalized Elo.
//!
//! Method: M. Van den Bergh, "Comments on normalized Elo" (2021), the test that fishtest and
//! OpenBench run. Both hypotheses fix the t-value (mean - ½) / σ of a pair; the log-likelihood
//! ratio compares the most likely five-cell distributions under each.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bisection::bisect;
use crate::elo::NELO_PER_SIGMA;
use crate::pentanomial::Pentanomial;

/// The count of an empty cell, so that no logarithm is infinite (fishtest's value).
const EMPTY_CELL: f64 = 1e-3;

/// The two hypotheses and the accepted error rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtBounds {
    /// H0: the true difference is `nelo0` (normalized Elo).
    pub nelo0: f64,
    /// H1: the true difference is `nelo1`, above `nelo0`.
    pub nelo1: f64,
    /// Probability of accepting H1 when H0 holds; 0.05 is usual.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds; 0.05 is usual.
    pub beta: f64,
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The ratio reached the upper limit, and H1 is accepted: the first player is stronger.
    Better,
    /// The ratio reached the lower limit, and H0 is accepted: the first player is not stronger.
    NotBetter,
    /// Neither limit is reached.
    Inconclusive,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Better => "better",
            Self::NotBetter => "not better",
            Self::Inconclusive => "inconclusive",
        })
    }
}

impl SprtBounds {
    /// Lower and upper limit of the log-likelihood ratio: ln(β/(1-α)) and ln((1-β)/α).
    pub fn limits(&self) -> (f64, f64) {
        (
            libm::log(self.beta / (1.0 - self.alpha)),
            libm::log((1.0 - self.beta) / self.alpha),
        )
    }

    /// Log-likelihood ratio of H1 against H0. Grows when the first player does better.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|n| if n == 0 { EMPTY_CELL } else { n as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|n| n / total);
        // A pair's standard deviation is a game's divided by √2, hence the factor.
        let t_value = |nelo: f64| nelo / NELO_PER_SIGMA * std::f64::consts::SQRT_2;
        let h0 = most_likely_given_t(&observed, t_value(self.nelo0));
        let h1 = most_likely_given_t(&observed, t_value(self.nelo1));
        total
            * (0..5)
                .map(|i| observed[i] * libm::log(h1[i] / h0[i]))
                .sum::<f64>()
    }

    /// The decision on these results.
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        let (lower, upper) = self.limits();
        match self.llr(pairs) {
            llr if llr >= upper => Verdict::Better,
            llr if llr <= lower => Verdict::NotBetter,
            _ => Verdict::Inconclusive,
        }
    }
}

/// Mean score of a pair in cell `i`.
fn pair_score(i: usize) -> f64 {
    i as f64 / 4.0
}

/// The distribution with t-value (mean - ½)/σ = `t` that makes `observed` most likely.
///
/// Fixed point of Van den Bergh's linearisation: with μ and σ of the last iterate, the constraint
/// is linear in the probabilities, and [`most_likely_with_zero_mean`] solves it.
fn most_likely_given_t(observed: &[f64; 5], t: f64) -> [f64; 5] {
    const MAX_ITERATIONS: usize = 100;
    const TOLERANCE: f64 = 1e-12;
    let mut p = [0.2; 5];
    for _ in 0..MAX_ITERATIONS {
        let mean: f64 = (0..5).map(|i| p[i] * pair_score(i)).sum();
        let sigma = (0..5)
            .map(|i| {
                let off = pair_score(i) - mean;
                p[i] * off * off
            })
            .sum::<f64>()
            .sqrt();
        let values: [f64; 5] = std::array::from_fn(|i| {
            let z = (mean - pair_score(i)) / sigma;
            pair_score(i) - 0.5 - t * sigma * (1.0 + z * z) / 2.0
        });
        let next = most_likely_with_zero_mean(observed, &values);
        let change = (0..5).map(|i| (next[i] - p[i]).abs()).fold(0.0, f64::max);
        p = next;
        if change < TOLERANCE {
            break;
        }
    }
    p
}

/// The distribution with Σ p·v = 0 that makes `observed` most likely: pᵢ = oᵢ / (1 + x·vᵢ), where
/// x solves Σ oᵢ·vᵢ / (1 + x·vᵢ) = 0. The sum falls in x between its two poles: bisection.
fn most_likely_with_zero_mean(observed: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    const BISECTIONS: usize = 80;
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if min >= 0.0 || max <= 0.0 {
        return *observed; // No distribution over these values has mean zero.
    }
    let [low, high] = bisect([-1.0 / max, -1.0 / min], BISECTIONS, |x| {
        let slope = |i: usize| observed[i] * values[i] / (1.0 + x * values[i]);
        (0..5).map(slope).sum::<f64>() > 0.0
    });
    let x = 0.5 * (low + high);
    std::array::from_fn(|i| observed[i] / (1.0 + x * values[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATE: SprtBounds = SprtBounds {
        nelo0: -15.0,
        nelo1: 15.0,
        alpha: 0.05,
        beta: 0.05,
    };

    #[test]
    fn usual_limits() {
        let (lower, upper) = GATE.limits();
        assert!((upper - 2.944_439).abs() < 1e-6 && (lower + upper).abs() < 1e-12);
    }

    #[test]
    fn symmetric_bounds_give_an_odd_ratio() {
        let there = GATE.llr(&Pentanomial([3, 10, 40, 14, 8]));
        let back = GATE.llr(&Pentanomial([8, 14, 40, 10, 3]));
        assert!(there > 0.0 && (there + back).abs() < 1e-9);
        assert!(GATE.llr(&Pentanomial([5, 9, 30, 9, 5])).abs() < 1e-9);
    }

    #[test]
    fn clean_sweeps_decide_but_not_at_once() {
        let sweep = |n| GATE.verdict(&Pentanomial([0, 0, 0, 0, n]));
        assert_eq!(sweep(5), Verdict::Inconclusive);
        assert_eq!(sweep(40), Verdict::Better);
        assert_eq!(
            GATE.verdict(&Pentanomial([40, 0, 0, 0, 0])),
            Verdict::NotBetter
        );
    }

    #[test]
    fn constrained_distribution_keeps_its_promises() {
        let observed = [0.1, 0.2, 0.3, 0.25, 0.15];
        for t in [-0.3, -0.05, 0.0, 0.05, 0.3] {
            let p = most_likely_given_t(&observed, t);
            let mean: f64 = (0..5).map(|i| p[i] * pair_score(i)).sum();
            let variance: f64 = (0..5).map(|i| p[i] * (pair_score(i) - mean).powi(2)).sum();
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(((mean - 0.5) / variance.sqrt() - t).abs() < 1e-8, "{t}");
        }
    }

    #[test]
    fn without_both_signs_no_mean_is_zero() {
        let observed = [0.1, 0.2, 0.3, 0.25, 0.15];
        for values in [[0.0, 1.0, 2.0, 3.0, 4.0], [-4.0, -3.0, -2.0, -1.0, 0.0]] {
            assert_eq!(most_likely_with_zero_mean(&observed, &values), observed);
        }
        let p = most_likely_with_zero_mean(&observed, &[-1.0, 0.0, 0.0, 0.0, 2.0]);
        assert!((2.0 * p[4] - p[0]).abs() < 1e-9, "{p:?}");
    }

    #[test]
    fn no_pairs_no_evidence() {
        assert_eq!(GATE.llr(&Pentanomial::default()), 0.0);
        assert_eq!(GATE.verdict(&Pentanomial::default()), Verdict::Inconclusive);
    }
}
