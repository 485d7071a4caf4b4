//! How far the value of a move is believed that was chosen because of it.

/// What the mixed value weighs against a move's own visits.
const PRIOR_VISITS: f32 = 2.0;

/// `N / (N + 2)`: the share of a move's own mean in what is expected of it; the rest is the mixed value.
///
/// Of noisy values the greatest is too great on average. Smith and Winkler ("The optimizer's curse", 2006)
/// mend that with the posterior mean, which for a value known from `N` visits and a prior worth `k` of them is
/// this formula.
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
