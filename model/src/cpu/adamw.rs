//! AdamW (Loshchilov and Hutter 2019), and gradient norms. [`device`](crate::device) uses burn's
//! implementation.

use crate::backend::StepSettings;

/// The decay of the running mean of the gradient: beta1 of the paper.
pub(crate) const BETA1: f32 = 0.9;

/// The decay of the running mean of the squared gradient: beta2 of the paper.
pub(crate) const BETA2: f32 = 0.999;

/// The epsilon of the paper, which keeps the denominator above zero.
pub(crate) const EPSILON: f32 = 1e-8;

/// The coefficients of one update, the same for every weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdamW {
    /// The learning rate with the bias correction of the first moment.
    rate: f32,
    /// The bias correction of the second moment.
    square_factor: f32,
    /// The factor that weight decay leaves of a weight.
    keep: f32,
}

impl AdamW {
    /// Update number t, counted from 1:
    ///
    /// m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
    /// w = w - rate (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + epsilon) + decay w).
    pub(super) fn new(settings: &StepSettings, t: u64) -> Self {
        let rate = settings.learning_rate;
        let correction = |beta: f32| 1.0 - libm::pow(f64::from(beta), t as f64);
        Self {
            rate: (f64::from(rate) / correction(BETA1)) as f32,
            square_factor: correction(BETA2).recip() as f32,
            keep: 1.0 - rate * settings.weight_decay,
        }
    }

    /// Updates weights and their moments with a gradient.
    pub(super) fn update(
        &self,
        values: &mut [f32],
        mean: &mut [f32],
        square: &mut [f32],
        gradient: &[f32],
        decays: bool,
    ) {
        if decays {
            values.iter_mut().for_each(|value| *value *= self.keep);
        }
        take_squares(square, gradient);
        for (((value, m), v), g) in values.iter_mut().zip(mean).zip(square).zip(gradient) {
            *m += (1.0 - BETA1) * (g - *m);
            *value -= self.rate * *m / ((*v * self.square_factor).sqrt() + EPSILON);
        }
    }
}

/// Updates the running mean of the squared gradient.
pub(super) fn take_squares(square: &mut [f32], gradient: &[f32]) {
    for (v, g) in square.iter_mut().zip(gradient) {
        *v += (1.0 - BETA2) * (g * g - *v);
    }
}

/// The Euclidean norm of a gradient.
pub(crate) fn norm(gradient: &[f32]) -> f64 {
    let square = |&g: &f32| f64::from(g) * f64::from(g);
    gradient.iter().map(square).sum::<f64>().sqrt()
}

/// Clips a gradient of norm `norm` to at most `longest`; returns true if that changed it.
pub(crate) fn clip(gradient: &mut [f32], norm: f64, longest: f32) -> bool {
    let is_long = norm > f64::from(longest);
    if is_long {
        let factor = (f64::from(longest) / norm) as f32;
        gradient.iter_mut().for_each(|g| *g *= factor);
    }
    is_long
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Optimizer, PerHead};

    const DECAY: f32 = 0.5;
    const RATE: f32 = 0.01;

    /// The result of PyTorch 2's formula for one parameter, in f64.
    fn reference(gradients: &[f64], weight: f64, decayed: bool) -> f64 {
        let (b1, b2) = (f64::from(BETA1), f64::from(BETA2));
        let decay = if decayed { f64::from(DECAY) } else { 0.0 };
        let (mut w, mut m, mut v, rate) = (weight, 0.0, 0.0, f64::from(RATE));
        for (step, g) in gradients.iter().enumerate() {
            let t = step as i32 + 1;
            m = b1 * m + (1.0 - b1) * g;
            v = b2 * v + (1.0 - b2) * g * g;
            let (m, v) = (m / (1.0 - b1.powi(t)), v / (1.0 - b2.powi(t)));
            w = w * (1.0 - rate * decay) - rate * m / (v.sqrt() + 1e-8);
        }
        w
    }

    #[test]
    fn update_follows_the_formula() {
        let settings = StepSettings {
            precision: crate::StepPrecision::F32,
            optimiser: Optimizer::AdamW,
            learning_rate: RATE,
            weight_decay: DECAY,
            gradient_clip: 1.0,
            ema_decay: 0.9,
            loss_weights: PerHead::default(),
            steps_between_reports: 1,
        };
        for decays in [true, false] {
            let (mut values, mut mean, mut square) = ([1.0], [0.0], [0.0]);
            let gradients = [0.3, -0.7, 0.01];
            for (t, g) in (1..).zip(gradients) {
                let adamw = AdamW::new(&settings, t);
                adamw.update(&mut values, &mut mean, &mut square, &[g as f32], decays);
            }
            let expected = reference(&gradients, 1.0, decays);
            let found = f64::from(values[0]);
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn long_gradients_are_shortened() {
        let mut gradient = [3.0, 4.0];
        assert_eq!(norm(&gradient), 5.0);
        assert!(!clip(&mut gradient, 5.0, 10.0));
        assert_eq!(gradient, [3.0, 4.0]);
        assert!(clip(&mut gradient, 5.0, 1.0));
        assert!((norm(&gradient) - 1.0).abs() < 1e-6);
    }
}
