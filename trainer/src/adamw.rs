//! AdamW (Loshchilov and Hutter 2019) on flat vectors.

use rayon::prelude::*;

use crate::TrainConfig;
use crate::parameters::Layout;

/// Values that one task updates: small networks have work for two threads, and the result does
/// not depend on how many there are.
const CHUNK: usize = 16 * 1024;

/// Decay of the running mean of the gradient: the paper's beta1.
const BETA1: f32 = 0.9;

/// Decay of the running mean of the squared gradient: the paper's beta2.
const BETA2: f32 = 0.999;

/// Keeps the denominator above zero: the paper's epsilon.
const EPSILON: f32 = 1e-8;

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
    /// The memory before the first step.
    pub(crate) fn new(n_values: usize) -> Self {
        Self {
            mean: vec![0.0; n_values],
            square: vec![0.0; n_values],
            n_updates: 0,
        }
    }

    /// One update, with t counted from 1:
    ///
    /// m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
    /// w = w - rate (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + epsilon) + decay w).
    pub(crate) fn update(
        &mut self,
        values: &mut [f32],
        gradient: &[f32],
        rate: f32,
        layout: &Layout,
        config: &TrainConfig,
    ) {
        self.n_updates += 1;
        for range in layout.decayed() {
            let keep = 1.0 - rate * config.weight_decay;
            values[range].iter_mut().for_each(|value| *value *= keep);
        }
        let correction = |beta: f32| 1.0 - f64::from(beta).powf(self.n_updates as f64);
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

/// Shortens a gradient of length `norm` to at most `longest`.
pub(crate) fn clip(gradient: &mut [f32], norm: f64, longest: f32) {
    if norm > f64::from(longest) {
        let factor = (f64::from(longest) / norm) as f32;
        gradient.iter_mut().for_each(|g| *g *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    /// What PyTorch 2's formula gives for one parameter, in f64.
    fn reference(gradients: &[f64], weight: f64, config: &TrainConfig, decayed: bool) -> f64 {
        let (b1, b2) = (f64::from(BETA1), f64::from(BETA2));
        let decay = if decayed {
            f64::from(config.weight_decay)
        } else {
            0.0
        };
        let (mut w, mut m, mut v, rate) = (weight, 0.0, 0.0, 0.01);
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
        let mut config = fixtures::config();
        config.weight_decay = 0.5;
        let layout = Layout::new(&fixtures::model_config(), &config);
        let n = layout.n_values();
        let (mut values, mut optimiser) = (vec![1.0; n], AdamW::new(n));
        let gradients = [0.3, -0.7, 0.01];
        for g in gradients {
            let gradient = vec![g as f32; n];
            optimiser.update(&mut values, &gradient, 0.01, &layout, &config);
        }
        let decayed: Vec<_> = layout.decayed().collect();
        for (index, &value) in values.iter().enumerate() {
            let decayed = decayed.iter().any(|range| range.contains(&index));
            let expected = reference(&gradients, 1.0, &config, decayed);
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
        clip(&mut gradient, 5.0, 10.0);
        assert_eq!(gradient, [3.0, 4.0]);
        clip(&mut gradient, 5.0, 1.0);
        assert!((norm(&gradient) - 1.0).abs() < 1e-6);
    }
}
