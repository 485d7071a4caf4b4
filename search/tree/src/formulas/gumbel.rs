//! Gumbel noise: the arg max of logits plus noise is a sample of their softmax.

use rand::distr::OpenClosed01;
use rand::{Rng, RngExt as _};

/// A sample of the standard Gumbel distribution: `-ln(-ln u)` for u uniform in (0, 1].
pub(crate) fn gumbel(rng: &mut impl Rng) -> f32 {
    let uniform: f64 = rng.sample(OpenClosed01);
    -libm::log(-libm::log(uniform)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn mean_and_variance() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let samples: Vec<f64> = (0..40_000).map(|_| f64::from(gumbel(&mut rng))).collect();
        let mean = samples.iter().sum::<f64>() / 4e4;
        let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4e4;
        // Euler's constant and pi^2 / 6.
        assert!((mean - 0.5772).abs() < 0.03, "{mean}");
        assert!((variance - 1.6449).abs() < 0.06, "{variance}");
    }

    #[test]
    fn the_largest_sum_samples_the_softmax() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let logits = [0.7f32.ln(), 0.3f32.ln()];
        let first = (0..20_000)
            .filter(|_| logits[0] + gumbel(&mut rng) > logits[1] + gumbel(&mut rng))
            .count();
        assert!((first as f64 / 2e4 - 0.7).abs() < 0.015, "{first}");
    }
}
