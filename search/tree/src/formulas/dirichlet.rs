//! Dirichlet noise at the root, as in AlphaZero.

use rand::{Rng, RngExt as _};

/// A sample of the symmetric Dirichlet distribution over `n` moves whose concentrations sum to
/// `total_alpha`; uniform if `total_alpha` is not positive. Larger sums give more even noise.
pub(crate) fn dirichlet(total_alpha: f32, n: usize, rng: &mut impl Rng, noise: &mut Vec<f32>) {
    noise.clear();
    noise.resize(n, 1.0 / n as f32);
    if total_alpha <= 0.0 {
        return;
    }
    let shape = f64::from(total_alpha) / n as f64;
    let mut sum = 0.0;
    for share in noise.iter_mut() {
        // Tiny concentrations can all underflow to 0; this keeps the sum positive.
        let weight = gamma(shape, rng).max(f64::from(f32::MIN_POSITIVE));
        *share = weight as f32;
        sum += weight;
    }
    for share in noise.iter_mut() {
        *share /= sum as f32;
    }
}

/// A sample of the gamma distribution with this shape and scale 1 by the rejection method of G.
/// Marsaglia and W. W. Tsang (2000): the cube of a shifted normal value; for a shape below 1, a
/// sample for shape + 1 times a power of a uniform value. `rand_distr` implements the same, but
/// with the system's logarithm, which is not reproducible.
fn gamma(shape: f64, rng: &mut impl Rng) -> f64 {
    if shape < 1.0 {
        let uniform: f64 = rng.random();
        return gamma(shape + 1.0, rng) * libm::pow(uniform, shape.recip());
    }
    let d = shape - 1.0 / 3.0;
    let c = (9.0 * d).sqrt().recip();
    loop {
        let [radius, angle, uniform]: [f64; 3] = rng.random();
        let radius = (-2.0 * libm::log(1.0 - radius)).sqrt();
        let x = radius * libm::cos(std::f64::consts::TAU * angle);
        let root = 1.0 + c * x;
        let v = root * root * root;
        if root > 0.0 && libm::log(uniform) < 0.5 * x * x + d * (1.0 - v + libm::log(v)) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn mean_and_variance_of_a_share() {
        let (mut rng, mut noise) = (ChaCha8Rng::seed_from_u64(3), Vec::new());
        // Eight concentrations above 1, and eight below.
        for total_alpha in [10.0, 2.0] {
            let (mut mean, mut square) = (0.0, 0.0);
            for _ in 0..10_000 {
                dirichlet(total_alpha, 8, &mut rng, &mut noise);
                assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                mean += f64::from(noise[3]) / 1e4;
                square += f64::from(noise[3] * noise[3]) / 1e4;
            }
            // Mean 1/8, variance (1/8)(7/8) / (sum + 1).
            let expected = 0.109375 / (f64::from(total_alpha) + 1.0);
            let variance = square - mean * mean;
            assert!((mean - 0.125).abs() < 3e-3, "{total_alpha}: {mean}");
            assert!(
                (variance / expected - 1.0).abs() < 0.06,
                "{total_alpha}: {variance}"
            );
        }
    }

    #[test]
    fn extreme_concentrations_stay_distributions() {
        let (mut rng, mut noise) = (ChaCha8Rng::seed_from_u64(4), Vec::new());
        for total_alpha in [0.0, 1e-6, 1e6] {
            dirichlet(total_alpha, 5, &mut rng, &mut noise);
            assert!(
                (noise.iter().sum::<f32>() - 1.0).abs() < 1e-4,
                "{total_alpha}: {noise:?}"
            );
        }
    }

    #[test]
    fn of_shape_one_is_the_exponential_distribution() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let samples: Vec<f64> = (0..200_000).map(|_| gamma(1.0, &mut rng)).collect();
        for least in [0.25, 0.75, 1.5, 3.0] {
            let n_above = samples.iter().filter(|sample| **sample > least).count();
            let (share, expected) = (n_above as f64 / 2e5, libm::exp(-least));
            assert!((share - expected).abs() < 0.004, "{least}: {share}");
        }
    }
}
