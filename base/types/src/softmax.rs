//! Softmax and its normalizer, safe for large logits.

use crate::exp;

/// `ln(sum of exp(logit))`.
#[inline]
pub fn log_sum_exp(logits: &[f32]) -> f32 {
    let max = largest(logits);
    let powers = logits.iter().map(|logit| exp(logit - max));
    max + libm::logf(powers.sum())
}

/// Logits further below the largest have no probability: adding them to a sum of at least 1 would
/// not change its last bit.
const NEGLIGIBLE: f32 = -30.0;

/// Turns logits into probabilities, in place. A logit of -infinity gives 0.
#[inline]
pub fn softmax(logits: &mut [f32]) {
    let max = largest(logits);
    let mut sum = 0.0;
    for logit in logits.iter_mut() {
        let below = *logit - max;
        *logit = if below < NEGLIGIBLE { 0.0 } else { exp(below) };
        sum += *logit;
    }
    for weight in logits.iter_mut() {
        *weight /= sum;
    }
}

/// The softmax of the logits, computed in `f64` with a correctly rounded exponential: for measuring
/// differences between distributions that [`softmax`] would hide.
pub fn softmax_f64(logits: &[f32]) -> Vec<f64> {
    let greatest = logits.iter().copied().fold(f32::MIN, f32::max);
    let power = |logit: &f32| libm::exp(f64::from(logit - greatest));
    let sum: f64 = logits.iter().map(power).sum();
    logits.iter().map(|logit| power(logit) / sum).collect()
}

#[inline]
fn largest(logits: &[f32]) -> f32 {
    logits.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_of_known_odds() {
        // Odds 1 : 2 : 5 on top of a huge offset.
        let mut logits = [1e4, 1e4 + 2f32.ln(), 1e4 + 5f32.ln(), f32::NEG_INFINITY];
        let total = log_sum_exp(&logits);
        assert!((total - (1e4 + 8f32.ln())).abs() < 1e-2);
        softmax(&mut logits);
        for (weight, expected) in logits.iter().zip([0.125, 0.25, 0.625, 0.0]) {
            assert!((weight - expected).abs() < 1e-3, "{weight} {expected}");
        }
        let shares = softmax_f64(&[1e4, 1e4 + 2f32.ln(), f32::NEG_INFINITY]);
        for (share, expected) in shares.into_iter().zip([1.0 / 3.0, 2.0 / 3.0, 0.0]) {
            assert!((share - expected).abs() < 1e-3, "{share} {expected}");
        }
    }

    #[test]
    fn what_is_far_below_has_no_probability() {
        let mut logits = [0.0, NEGLIGIBLE, NEGLIGIBLE - 0.5];
        softmax(&mut logits);
        assert!(logits[1] > 0.0 && logits[2] == 0.0, "{logits:?}");
    }
}
