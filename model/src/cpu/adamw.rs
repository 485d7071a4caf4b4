//! AdamW (Loshchilov and Hutter 2019) on flat vectors. [`device`](crate::device) has the same from burn.

use rayon::prelude::*;

use crate::backend::StepSettings;
use crate::shape::Layout;

/// Values that one task updates: small networks have work for two threads, and the result does
/// not depend on how many there are.
const CHUNK: usize = 16 * 1024;

/// Decay of the running mean of the gradient: the paper's beta1.
pub(crate) const BETA1: f32 = 0.9;

/// Decay of the running mean of the squared gradient: the paper's beta2.
pub(crate) const BETA2: f32 = 0.999;

/// Keeps the denominator above zero: the paper's epsilon.
pub(crate) const EPSILON: f32 = 1e-8;

/// The optimiser's memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AdamW {
    /// [parameter] running mean of the gradient.
    pub(crate) mean: Vec<f32>,
    /// [parameter] running mean of the squared gradient.
    pub(crate) square: Vec<f32>,
    /// Updates made so far.
    pub(crate) n_updates: u64,
}

impl AdamW {
    /// One update, with t counted from 1:
    ///
    /// m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
    /// w = w - rate (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + epsilon) + decay w).
    pub(crate) fn update(
        &mut self,
        values: &mut [f32],
        gradient: &[f32],
        layout: &Layout,
        settings: &StepSettings,
    ) {
        self.n_updates += 1;
        let rate = settings.learning_rate;
        for range in layout.decayed() {
            let keep = 1.0 - rate * settings.weight_decay;
            values[range].iter_mut().for_each(|value| *value *= keep);
        }
        let correction = |beta: f32| 1.0 - libm::pow(f64::from(beta), self.n_updates as f64);
        let rate = (f64::from(rate) / correction(BETA1)) as f32;
        let square_factor = correction(BETA2).recip() as f32;
        let update = |(((value, m), v), g): (((&mut f32, &mut f32), &mut f32), &f32)| {
            *m += (1.0 - BETA1) * (g - *m);
            *v += (1.0 - BETA2) * (g * g - *v);
            *value -= rate * *m / ((*v * square_factor).sqrt() + EPSILON);
        };
        values
            .par_chunks_mut(CHUNK)
            .zip(self.mean.par_chunks_mut(CHUNK))
            .zip(self.square.par_chunks_mut(CHUNK))
            .zip(gradient.par_chunks(CHUNK))
            .for_each(|(((values, mean), square), gradient)| {
                let values = values.iter_mut().zip(mean).zip(square).zip(gradient);
                values.for_each(update);
            });
    }
}

/// Euclidean norm of a gradient.
pub(crate) fn norm(gradient: &[f32]) -> f64 {
    let square = |&g: &f32| f64::from(g) * f64::from(g);
    gradient.iter().map(square).sum::<f64>().sqrt()
}

/// Shortens a gradient of length `norm` to at most `longest`, and says whether it had to.
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
    use crate::{PerHead, Preset};

    const DECAY: f32 = 0.5;
    const RATE: f32 = 0.01;

    /// What PyTorch 2's formula gives for one parameter, in f64.
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
            learning_rate: RATE,
            weight_decay: DECAY,
            gradient_clip: 1.0,
            ema_decay: 0.9,
            loss_weights: PerHead::default(),
            steps_between_reports: 1,
        };
        let layout = Layout::new(&Preset::Nano.config(32, 5).graph());
        let n = layout.n_values();
        let mut optimiser = AdamW {
            mean: vec![0.0; n],
            square: vec![0.0; n],
            n_updates: 0,
        };
        let mut values = vec![1.0; n];
        let gradients = [0.3, -0.7, 0.01];
        for g in gradients {
            let gradient = vec![g as f32; n];
            optimiser.update(&mut values, &gradient, &layout, &settings);
        }
        let decayed: Vec<_> = layout.decayed().collect();
        for (index, &value) in values.iter().enumerate() {
            let decayed = decayed.iter().any(|range| range.contains(&index));
            let expected = reference(&gradients, 1.0, decayed);
            assert!(
                (f64::from(value) - expected).abs() < 1e-6,
                "{value} {expected}"
            );
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
