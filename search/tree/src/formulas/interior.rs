//! Deterministic selection below the root.

use crate::tree::Edge;

/// `argmax_a [pi'(a) - N(a) / (1 + sum N)]`: the move whose share of visits is furthest below its
/// probability in the improved policy, so that visits converge to the policy. The first one wins
/// ties.
///
/// Moves with policy 0 are excluded.
pub(crate) fn most_underplayed(policy: &[f32], edges: &[Edge]) -> usize {
    let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
    let share = 1.0 / (1 + visits) as f32;
    let mut best = (0, f32::NEG_INFINITY);
    for (i, (&wanted, edge)) in policy.iter().zip(edges).enumerate() {
        let lag = wanted - edge.visits as f32 * share;
        if wanted > 0.0 && lag > best.1 {
            best = (i, lag);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulas::edges::edge;

    #[test]
    fn follows_the_policy() {
        // Shares with 4 visits: 3/5, 1/5, 0. Lags: 0.6 - 0.6, 0.25 - 0.2, 0.15 - 0.
        let edges = [edge(0.2, 3, 0.5), edge(0.2, 1, 0.5), edge(0.6, 0, 0.5)];
        assert_eq!(most_underplayed(&[0.6, 0.25, 0.15], &edges), 2);
        assert_eq!(most_underplayed(&[0.1, 0.8, 0.1], &edges), 1);
    }

    #[test]
    fn starts_with_the_likeliest_and_breaks_ties_by_order() {
        let edges = [edge(0.2, 0, 0.0), edge(0.4, 0, 0.0), edge(0.4, 0, 0.0)];
        assert_eq!(most_underplayed(&[0.2, 0.4, 0.4], &edges), 1);
    }

    #[test]
    fn long_run_visits_equal_the_policy() {
        let policy = [0.5, 0.3, 0.2];
        let mut edges = [edge(0.3, 0, 0.0); 3];
        for _ in 0..1000 {
            edges[most_underplayed(&policy, &edges)].visits += 1;
        }
        assert_eq!(edges.map(|edge| edge.visits), [500, 300, 200]);
    }
}
