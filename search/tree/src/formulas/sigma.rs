//! The weight of Q relative to the logits.

/// The factor of `sigma(q) = (c_visit + max_b N(b)) * c_scale * q`, for q in 0..=1.
///
/// Larger values follow Q, smaller ones the prior. More visits increase confidence in Q.
pub(crate) fn sigma_scale(c_visit: f32, c_scale: f32, max_visits: u32) -> f32 {
    (c_visit + max_visits as f32) * c_scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_with_the_largest_visit_count() {
        assert_eq!(sigma_scale(50.0, 1.0, 0), 50.0);
        assert_eq!(sigma_scale(50.0, 1.0, 14), 64.0);
        assert_eq!(sigma_scale(50.0, 0.1, 30), 8.0);
    }
}
