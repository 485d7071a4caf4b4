//! Shrinkage of the values of moves that were selected for their value.

/// The weight of the mixed value, in visits.
const PRIOR_VISITS: f32 = 2.0;

/// `N / (N + 2)`: the weight of a move's own mean in its expected value; the rest is the weight of
/// the mixed value.
///
/// The maximum of noisy values is biased upwards. Smith and Winkler ("The optimizer's curse", 2006)
/// correct this with the posterior mean, which is this formula for a mean of `N` visits and a prior
/// worth `k` visits.
pub(crate) fn reliability(visits: u32) -> f32 {
    let visits = visits as f32;
    visits / (visits + PRIOR_VISITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_visits_are_believed() {
        assert_eq!(reliability(0), 0.0);
        assert_eq!(reliability(2), 0.5);
        assert!(reliability(1000) > 0.99);
    }
}
