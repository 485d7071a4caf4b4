//! Move selection at a node.

use types::Wdl;

use crate::Proof;
use crate::config::SearchConfig;
use crate::formulas::{first_play_urgency, improved_policy, most_underplayed, upper_bound};
use crate::proof::Sound;
use crate::tree::{Edge, Node};

/// Gumbel AlphaZero below the root: visits follow the improved policy.
///
/// A node without a proof has no won moves; lost moves have policy 0 and are never visited again.
/// Proven draws still are, because their value belongs to the mean; such a visit costs no
/// evaluation.
pub(crate) fn select_gumbel(
    config: &SearchConfig,
    node: &Node,
    edges: &[Edge],
    policy: &mut Vec<f32>,
) -> usize {
    if edges.len() == 1 {
        return 0;
    }
    improved_policy(config, node.raw_q, edges, Sound::NotLost, policy);
    most_underplayed(policy, edges)
}

/// PUCT, at the root or below it: the move with the largest upper bound that is not proven lost;
/// the first one wins ties. Also returns for how many simulations in a row, at most `most`, this
/// move stays the best: each counts as a visit, while the bounds of the other moves do not change.
///
/// Of the unvisited moves, only the one with the highest prior can be the best.
pub(crate) fn select_puct(
    edges: &[Edge],
    weight: f32,
    parent_utility: f32,
    fpu_reduction: f32,
    most: u32,
) -> (usize, u32) {
    let (mut best, mut second) = ((0, f32::NEG_INFINITY), f32::NEG_INFINITY);
    let (mut visited_mass, mut unvisited) = (0.0, (0, f32::NEG_INFINITY));
    // Branchless, because the best move is unpredictable for the processor.
    for (i, edge) in edges.iter().enumerate() {
        let is_visited = edge.visits > 0;
        let is_lost = matches!(edge.proof, Some(Proof::Loss(_)));
        visited_mass += if is_visited { edge.prior } else { 0.0 };
        let bound = upper_bound(utility_of_q(edge.q), weight, edge.prior, edge.visits);
        let bound = if is_visited && !is_lost {
            bound
        } else {
            f32::NEG_INFINITY
        };
        second = second.max(bound.min(best.1));
        best = if bound > best.1 { (i, bound) } else { best };
        let prior = if is_visited || is_lost {
            f32::NEG_INFINITY
        } else {
            edge.prior
        };
        unvisited = if prior > unvisited.1 {
            (i, prior)
        } else {
            unvisited
        };
    }
    let (i, prior) = unvisited;
    let utility = first_play_urgency(parent_utility, fpu_reduction, visited_mass);
    let new_bound = upper_bound(utility, weight, prior, 0);
    if new_bound > best.1 || (new_bound == best.1 && i < best.0) {
        // The visit changes first-play urgency for the other unvisited moves.
        return (i, 1);
    }
    let (edge, second) = (&edges[best.0], second.max(new_bound));
    let bound_after = |n| upper_bound(utility_of_q(edge.q), weight, edge.prior, edge.visits + n);
    let n = 1 + (1..most).take_while(|&n| bound_after(n) > second).count() as u32;
    (best.0, n)
}

/// Converts a value to a q in 0..=1.
pub(crate) fn q_of(value: Wdl, draw_score: f32) -> f32 {
    (value.utility(draw_score) + 1.0) / 2.0
}

/// Converts a q in 0..=1 to a utility in -1..=1.
pub(crate) fn utility_of_q(q: f32) -> f32 {
    2.0 * q - 1.0
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::formulas::Weights;
    use crate::formulas::edges::edge;

    fn weight(visits: u32) -> f32 {
        Weights::new(&SearchConfig::KATAGO).of(visits)
    }

    #[test]
    fn puct_by_hand() {
        // sum N = 4, c = 1 + 0.45 ln(504 / 500) = 1.003586.
        // a: 0.2 + c * 0.5 * 2 / 4 = 0.450897
        // b: -0.2 + c * 0.3 * 2 / 2 = 0.101076
        // c: 0.1 - 0.2 * sqrt(0.8) + c * 0.2 * 2 = 0.322549
        let mut edges = [edge(0.5, 3, 0.6), edge(0.3, 1, 0.4), edge(0.2, 0, 0.0)];
        assert_eq!(select_puct(&edges, weight(4), 0.1, 0.2, 1).0, 0);
        // a: 0.05 + 0.250897 = 0.300897.
        edges[0].q = 0.525;
        assert_eq!(select_puct(&edges, weight(4), 0.1, 0.2, 1).0, 2);
        // c: 0.1 - 0.4 * sqrt(0.8) + 0.401434 = 0.143663.
        assert_eq!(select_puct(&edges, weight(4), 0.1, 0.4, 1).0, 0);
    }

    #[test]
    fn puct_starts_with_the_prior_and_leaves_lost_moves_out() {
        let mut edges = [edge(0.2, 0, 0.0), edge(0.5, 0, 0.0), edge(0.3, 0, 0.0)];
        assert_eq!(select_puct(&edges, weight(0), 0.0, 0.0, 1).0, 1);
        edges[1].proof = Some(Proof::Loss(2));
        assert_eq!(select_puct(&edges, weight(0), 0.0, 0.0, 1).0, 2);
    }

    /// The visits of all moves after `n` simulations that select up to `at_once` visits in a row.
    fn visits_after(mut edges: Vec<Edge>, mut n: u32, at_once: u32) -> Vec<u32> {
        let weight = weight(edges.iter().map(|edge| edge.visits).sum());
        while n > 0 {
            let (best, times) = select_puct(&edges, weight, 0.1, 0.2, n.min(at_once));
            assert!((1..=n.min(at_once)).contains(&times));
            let edge = &mut edges[best];
            edge.q = if edge.visits == 0 { 0.55 } else { edge.q };
            edge.visits += times;
            n -= times;
        }
        edges.iter().map(|edge| edge.visits).collect()
    }

    #[test]
    fn simulations_in_a_row_follow_the_moves_that_each_alone_would() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..1000 {
            let n_moves = rng.random_range(1..9);
            let edges: Vec<Edge> = (0..n_moves)
                .map(|_| {
                    let visits = rng.random_range(0..4) * rng.random_range(0..20);
                    // Few distinct values, so that bounds can be equal.
                    let q = rng.random_range(0..3) as f32 / 4.0;
                    edge(1.0 / n_moves as f32, visits, q)
                })
                .collect();
            let one_by_one = visits_after(edges.clone(), 16, 1);
            for at_once in [2, 7, 16] {
                assert_eq!(visits_after(edges.clone(), 16, at_once), one_by_one);
            }
        }
    }

    #[test]
    fn draws_are_worth_the_draw_score() {
        assert_eq!(q_of(Wdl::DRAW, 0.0), 0.5);
        assert_eq!(q_of(Wdl::DRAW, -0.5), 0.25);
        assert_eq!(q_of(Wdl::WIN, -0.5), 1.0);
        assert_eq!(utility_of_q(q_of(Wdl::LOSS, 0.3)), -1.0);
    }
}
