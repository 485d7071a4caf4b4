//! Distributions from logits, and loss functions.

use crate::PerHead;

/// The losses of a step: means over the batch's samples with a target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// The loss of each head by its [`Kind`](crate::heads::Kind); 0 for a head that is not trained.
    pub heads: PerHead<f64>,
    /// The reducible part of the policy loss: the divergence from its target, in nats.
    pub policy_divergence: f64,
    /// The share of samples whose most likely result is also the target's, in 0..=1.
    pub value_accuracy: f64,
}

impl Losses {
    /// Adds another term of a sum.
    pub fn add(&mut self, other: &Self) {
        for (head, loss) in other.heads.iter() {
            self.heads[head] += loss;
        }
        self.policy_divergence += other.policy_divergence;
        self.value_accuracy += other.value_accuracy;
    }

    /// The training objective: the sum of the heads' losses times `weights`.
    pub fn total(&self, weights: &PerHead<f32>) -> f64 {
        let losses = self.heads.iter();
        losses
            .map(|(head, loss)| f64::from(weights[head]) * loss)
            .sum()
    }

    /// All losses times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            heads: PerHead::new(|head| factor * self.heads[head]),
            policy_divergence: factor * self.policy_divergence,
            value_accuracy: factor * self.value_accuracy,
        }
    }
}

/// The cross-entropy of softmax(logits) with `target`, which sums to 1. Sets `gradient` to its
/// derivative by the logits, softmax(logits) - target.
pub(crate) fn cross_entropy(logits: &[f32], target: &[f32], gradient: &mut [f32]) -> f64 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (g, logit) in gradient.iter_mut().zip(logits) {
        *g = libm::expf(logit - largest);
        sum += *g;
    }
    let log_sum = f64::from(libm::logf(sum) + largest);
    let mut loss = 0.0;
    for ((g, &logit), &t) in gradient.iter_mut().zip(logits).zip(target) {
        *g = *g / sum - t;
        loss += f64::from(t) * (log_sum - f64::from(logit));
    }
    loss
}

/// The index of the largest of three numbers; the first one wins ties.
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
    fn totals_are_weighted() {
        let mut losses = Losses::default();
        losses.heads[crate::HeadId::POLICY] = 2.0;
        losses.heads[crate::HeadId::VALUE] = 3.0;
        losses.add(&losses.clone());
        let mut weights = PerHead::new(|_| 0.0);
        weights[crate::HeadId::VALUE] = 0.5;
        assert_eq!(losses.total(&weights), 3.0);
        assert_eq!(losses.scaled(0.25).heads[crate::HeadId::POLICY], 1.0);
    }
}
