//! The value that replaces the Q of unvisited moves.

use crate::tree::Edge;

/// `v_mix = (v_raw + sum N * (sum pi(a) Q(a)) / (sum pi(a))) / (1 + sum N)`, with the inner sums
/// over visited moves: the evaluator's value counts as one visit, the prior-weighted mean of the
/// visited moves as the remaining ones.
///
/// More visits reduce the weight of the raw value. All values are in 0..=1.
pub(crate) fn mixed_value<'a>(raw_q: f32, edges: impl Iterator<Item = &'a Edge>) -> f32 {
    let (mut visits, mut mass, mut weighted) = (0u32, 0.0, 0.0);
    for edge in edges.filter(|edge| edge.visits > 0) {
        let prior = edge.prior.max(f32::MIN_POSITIVE);
        visits += edge.visits;
        mass += prior;
        weighted += prior * edge.q;
    }
    if visits == 0 {
        return raw_q;
    }
    let n = visits as f32;
    (raw_q + n * weighted / mass) / (1.0 + n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulas::edges::edge;

    #[test]
    fn nothing_visited_leaves_the_raw_value() {
        assert_eq!(mixed_value(0.3, [edge(1.0, 0, 0.9)].iter()), 0.3);
    }

    #[test]
    fn by_hand() {
        // Visited: pi 0.5 and 0.1, Q 0.6 and 0.9, 3 + 1 visits.
        // (0.3 + 0.09) / 0.6 = 0.65; (0.4 + 4 * 0.65) / 5 = 0.6.
        let edges = [edge(0.5, 3, 0.6), edge(0.4, 0, 0.123), edge(0.1, 1, 0.9)];
        assert!((mixed_value(0.4, edges.iter()) - 0.6).abs() < 1e-6);
    }

    #[test]
    fn a_visited_move_without_prior_is_no_division_by_zero() {
        assert!((mixed_value(0.0, [edge(0.0, 1, 0.8)].iter()) - 0.4).abs() < 1e-6);
    }
}
