//! What is minimised.

use crate::TrainConfig;

/// Losses of a step: means over the batch's samples that have the target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross-entropy of the policy, in nats.
    pub policy: f64,
    /// The part of it that learning can remove: divergence of the policy from its target, in nats.
    pub policy_divergence: f64,
    /// Cross-entropy of win, draw and loss, in nats.
    pub value: f64,
    /// Share of samples whose most likely result is also the target's, in 0..=1.
    pub value_accuracy: f64,
    /// Cross-entropy with the softened policy target, in nats; 0 without that head.
    pub soft_policy: f64,
    /// Sum of the cross-entropies for the short horizons, in nats; 0 without that head.
    pub short_value: f64,
}

impl Losses {
    /// Adds the sums of another part of the batch.
    pub(crate) fn add(&mut self, other: &Self) {
        self.policy += other.policy;
        self.policy_divergence += other.policy_divergence;
        self.value += other.value;
        self.value_accuracy += other.value_accuracy;
        self.soft_policy += other.soft_policy;
        self.short_value += other.short_value;
    }

    /// What the gradient is of: the weighted sum of the losses.
    pub fn total(&self, config: &TrainConfig) -> f64 {
        self.policy
            + f64::from(config.value_weight) * self.value
            + f64::from(config.soft_policy_weight) * self.soft_policy
            + f64::from(config.short_value_weight) * self.short_value
    }
}

/// Cross-entropy of softmax(logits) with `target`, which sums to 1; `gradient` becomes its
/// derivative by the logits: softmax(logits) - target.
pub(crate) fn cross_entropy(logits: &[f32], target: &[f32], gradient: &mut [f32]) -> f64 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (g, logit) in gradient.iter_mut().zip(logits) {
        *g = (logit - largest).exp();
        sum += *g;
    }
    let log_sum = f64::from(sum.ln() + largest);
    let mut loss = 0.0;
    for ((g, &logit), &t) in gradient.iter_mut().zip(logits).zip(target) {
        *g = *g / sum - t;
        loss += f64::from(t) * (log_sum - f64::from(logit));
    }
    loss
}

/// Entropy of a distribution, in nats.
pub(crate) fn entropy(distribution: &[f32]) -> f64 {
    let term = |&p: &f32| if p > 0.0 { f64::from(-p * p.ln()) } else { 0.0 };
    distribution.iter().map(term).sum()
}

/// KataGo's soft policy target: probabilities to the power of 1/4, made to sum to 1. What is
/// rare counts for more, so that the network also learns to order the moves it would not play.
pub(crate) fn soften(policy: &[f32], soft: &mut [f32]) {
    let mut sum = 0.0;
    for (soft, p) in soft.iter_mut().zip(policy) {
        *soft = p.sqrt().sqrt();
        sum += *soft;
    }
    soft.iter_mut().for_each(|soft| *soft /= sum);
}

/// Index of the largest of three numbers, the first of equals.
pub(crate) fn most_likely(wdl: &[f32]) -> usize {
    let mut best = 0;
    for (index, value) in wdl.iter().enumerate() {
        if *value > wdl[best] {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_entropy_by_hand() {
        // softmax(ln 1, ln 3) = (1/4, 3/4).
        let mut gradient = [0.0; 2];
        let logits = [1.0f32.ln() + 7.0, 3.0f32.ln() + 7.0];
        let loss = cross_entropy(&logits, &[0.5, 0.5], &mut gradient);
        let expected = -0.5 * 0.25f64.ln() - 0.5 * 0.75f64.ln();
        assert!((loss - expected).abs() < 1e-6, "{loss} {expected}");
        assert!((gradient[0] + 0.25).abs() < 1e-6 && (gradient[1] - 0.25).abs() < 1e-6);
    }

    #[test]
    fn large_logits_do_not_overflow() {
        let mut gradient = [0.0; 2];
        let loss = cross_entropy(&[1000.0, 0.0], &[1.0, 0.0], &mut gradient);
        assert_eq!((loss, gradient), (0.0, [0.0, 0.0]));
    }

    #[test]
    fn softened_targets_by_hand() {
        let mut soft = [0.0; 3];
        soften(&[16.0 / 17.0, 1.0 / 17.0, 0.0], &mut soft);
        assert!((soft[0] - 2.0 / 3.0).abs() < 1e-6 && (soft[1] - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!(soft[2], 0.0);
    }

    #[test]
    fn entropy_of_equal_parts() {
        assert!((entropy(&[0.25; 4]) - 4.0f64.ln()).abs() < 1e-6);
        assert_eq!(entropy(&[1.0, 0.0]), 0.0);
    }
}
