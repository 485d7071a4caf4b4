//! Kullback-Leibler divergence.

/// `sum p ln(p / q)` in nats: the surprise of p when q is expected. Values of q below `floor` count
/// as `floor`; a result below 0 is a rounding error and becomes 0.
pub fn kl_divergence(p: &[f32], q: &[f32], floor: f32) -> f32 {
    let terms = p.iter().zip(q).filter(|(p, _)| **p > 0.0);
    terms
        .map(|(p, q)| p * libm::logf(p / q.max(floor)))
        .sum::<f32>()
        .max(0.0)
}

/// The Kullback-Leibler divergence of `p` from `q`, in nats, computed in `f64` and without a floor:
/// for distributions that differ by rounding only. `q` has no zeros.
pub fn kl_divergence_f64(p: &[f64], q: &[f64]) -> f64 {
    let term = |(&p, q): (&f64, f64)| if p > 0.0 { p * libm::log(p / q) } else { 0.0 };
    p.iter().zip(q.iter().copied()).map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::softmax_f64;

    #[test]
    fn by_hand() {
        assert_eq!(kl_divergence(&[0.25, 0.75], &[0.25, 0.75], 1e-9), 0.0);
        let one_bit = kl_divergence(&[1.0, 0.0], &[0.5, 0.5], 1e-9);
        assert!((one_bit - std::f32::consts::LN_2).abs() < 1e-6);
        let at_the_floor = kl_divergence(&[1.0, 0.0], &[0.0, 1.0], 0.01);
        assert!((at_the_floor - 100_f32.ln()).abs() < 1e-5);
    }

    #[test]
    fn of_f64_by_hand() {
        let (p, q) = (softmax_f64(&[0.0, 3.0f32.ln()]), softmax_f64(&[0.0, 0.0]));
        assert!((p[1] - 0.75).abs() < 1e-6, "{p:?}");
        let expected = 0.25 * 0.5f64.ln() + 0.75 * 1.5f64.ln();
        assert!((kl_divergence_f64(&p, &q) - expected).abs() < 1e-6);
        assert_eq!(kl_divergence_f64(&[0.0, 1.0], &[0.5, 1.0]), 0.0);
    }
}
