//! Entropy of a distribution.

/// `-sum p ln p`, in nats: how even a distribution is. Each logarithm is computed in `f64`.
pub fn entropy(distribution: &[f32]) -> f64 {
    let probabilities = distribution.iter().map(|&p| f64::from(p));
    let term = |p: f64| if p > 0.0 { -p * libm::log(p) } else { 0.0 };
    probabilities.map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_of_equal_parts() {
        assert!((entropy(&[0.25; 4]) - 4.0f64.ln()).abs() < 1e-6);
        assert_eq!(entropy(&[1.0, 0.0]), 0.0);
    }
}
