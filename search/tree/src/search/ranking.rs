//! Ranked root moves, for multi-PV analysis.

use std::cmp::Ordering;

use rules::Move;
use types::Wdl;

use super::result::principal_variation;
use super::{Search, State};
use crate::Proof;
use crate::tree::{Edge, Tree};

/// A root move and its statistics, for the side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct RankedMove {
    /// The principal variation: the move, then the best known replies; never empty.
    pub moves: Vec<Move>,
    /// The exact value if proven, otherwise the mean of the simulations through the move; `None`
    /// without visits.
    pub value: Option<Wdl>,
    /// The proof of the move.
    pub proof: Option<Proof>,
    /// Simulations through the move.
    pub visits: u32,
}

impl Search {
    /// The best `n` moves so far, or all legal moves if there are fewer: first the move of
    /// [`result`](Search::result), then proven wins, open and drawn moves, and proven losses; ties
    /// by visits, then by value.
    ///
    /// # Panics
    ///
    /// If no search was begun.
    pub fn ranked_moves(&self, n: usize) -> Vec<RankedMove> {
        assert!(self.state != State::Idle, "no search was begun");
        let edges = self.tree.edges(self.tree.root());
        let best = self.root.best(&self.config, &self.tree);
        let mut order: Vec<usize> = (0..edges.len()).filter(|&index| index != best).collect();
        order.sort_by(|&a, &b| by_rank(&edges[a], &edges[b]));
        let ranked = std::iter::once(best).chain(order).take(n);
        ranked.map(|index| ranked_move(&self.tree, index)).collect()
    }
}

fn ranked_move(tree: &Tree, index: usize) -> RankedMove {
    let edge = &tree.edges(tree.root())[index];
    let child = edge.child.filter(|_| edge.visits > 0);
    RankedMove {
        moves: principal_variation(tree, index),
        value: match edge.proof {
            Some(proof) => Some(proof.wdl()),
            None => child.map(|child| tree.node(child).mean.flipped()),
        },
        proof: edge.proof,
        visits: edge.visits,
    }
}

/// Smaller ranks higher.
fn by_rank(a: &Edge, b: &Edge) -> Ordering {
    let certainty = |edge: &Edge| match edge.proof {
        Some(Proof::Win(plies)) => (2, -i32::from(plies)),
        Some(Proof::Draw) | None => (1, 0),
        Some(Proof::Loss(plies)) => (0, i32::from(plies)),
    };
    let estimate = |edge: &Edge| if edge.visits > 0 { edge.q } else { edge.prior };
    (certainty(b), b.visits)
        .cmp(&(certainty(a), a.visits))
        .then(estimate(b).total_cmp(&estimate(a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_proven_counts_more_than_visits_and_visits_more_than_value() {
        let edge = |proof, visits, q| Edge {
            proof,
            visits,
            q,
            ..Edge::NEW
        };
        let best_first = [
            edge(Some(Proof::Win(3)), 1, 1.0),
            edge(Some(Proof::Win(5)), 9, 1.0),
            edge(None, 8, 0.2),
            edge(Some(Proof::Draw), 7, 0.5),
            edge(None, 7, 0.4),
            edge(Some(Proof::Loss(4)), 1, 0.0),
            edge(Some(Proof::Loss(2)), 9, 0.0),
        ];
        for (index, better) in best_first.iter().enumerate() {
            for worse in &best_first[index + 1..] {
                assert_eq!(by_rank(better, worse), Ordering::Less);
            }
        }
    }
}
