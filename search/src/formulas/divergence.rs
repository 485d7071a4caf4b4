//! Kullback-Leibler divergence.

/// `sum p ln(p / q)` in nats: how surprising the distribution p is to one who expects q. Values of q
/// below `floor` count as `floor`; a result below 0 is rounding and becomes 0.
pub fn kl_divergence(p: &[f32], q: &[f32], floor: f32) -> f32 {
    let terms = p.iter().zip(q).filter(|(p, _)| **p > 0.0);
    terms
        .map(|(p, q)| p * libm::logf(p / q.max(floor)))
        .sum::<f32>()
        .max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(kl_divergence(&[0.25, 0.75], &[0.25, 0.75], 1e-9), 0.0);
        let one_bit = kl_divergence(&[1.0, 0.0], &[0.5, 0.5], 1e-9);
        assert!((one_bit - std::f32::consts::LN_2).abs() < 1e-6);
        let at_the_floor = kl_divergence(&[1.0, 0.0], &[0.0, 1.0], 0.01);
        assert!((at_the_floor - 100_f32.ln()).abs() < 1e-5);
    }
}
