//! One simulation, from the root to a leaf.

use super::{Search, State};
use crate::backup::{Followed, back_up, draw_score_at};
use crate::config::Mode;
use crate::select::{q_of, select_gumbel, select_puct, utility_of_q};
use crate::tree::{NodeId, ROOT};
use crate::{Proof, Stop};

/// Where a simulation ended.
enum Leaf {
    /// A new node to evaluate.
    Open { leaf: NodeId, repetitions: u32 },
    /// A proven node.
    Settled(NodeId, Proof),
    /// There is no memory for the next node.
    NoMemory,
}

impl Search {
    /// One simulation from the root to a leaf; a leaf that needs no evaluation is backed up at once.
    pub(super) fn simulate(&mut self) -> State {
        if self.tree.node(ROOT).proof.is_some() {
            return State::Finished(Stop::Proven);
        }
        if self.simulations >= self.budget {
            return State::Finished(Stop::Simulations);
        }
        let leaf = self.descend();
        self.max_depth = self.max_depth.max(self.path.len());
        match leaf {
            Leaf::Open { leaf, repetitions } => State::Waiting { leaf, repetitions },
            Leaf::Settled(leaf, proof) => {
                back_up(
                    &mut self.tree,
                    &self.path,
                    leaf,
                    proof.wdl(),
                    self.config.draw_score,
                );
                self.simulations += 1;
                State::Ready
            }
            Leaf::NoMemory => State::Finished(Stop::Memory),
        }
    }

    /// Follows selected moves to a new or proven node. New nodes with one legal move are passed without
    /// an evaluation.
    fn descend(&mut self) -> Leaf {
        self.path.clear();
        self.history.truncate(self.n_game_hashes);
        let mut node = ROOT;
        loop {
            let edge = self.select(node);
            self.path.push(Followed { node, edge });
            let (child, new) = match self.tree.edges(node)[edge].child {
                Some(child) => (child, None),
                None => match self.expand(node, edge) {
                    Some((child, repetitions)) => (child, Some(repetitions)),
                    None => return Leaf::NoMemory,
                },
            };
            if let Some(proof) = self.tree.node(child).proof {
                return Leaf::Settled(child, proof);
            }
            let forced = self.tree.edges(child).len() == 1;
            if let (Some(repetitions), false) = (new, forced) {
                return Leaf::Open {
                    leaf: child,
                    repetitions,
                };
            }
            self.history.push(self.tree.node(child).position.hash());
            node = child;
        }
    }

    fn select(&mut self, node: NodeId) -> usize {
        let (data, edges) = (self.tree.node(node), self.tree.edges(node));
        match &self.config.mode {
            Mode::Gumbel(config) if node == ROOT => {
                self.root
                    .select(config, self.budget - self.simulations, &self.tree)
            }
            Mode::Gumbel(config) => select_gumbel(config, data, edges, &mut self.policy),
            Mode::Puct(config) => {
                let draw_score = draw_score_at(self.config.draw_score, self.path.len());
                let utility = utility_of_q(q_of(data.mean, draw_score));
                let is_root = node == ROOT;
                let fpu = if is_root {
                    config.root_fpu_reduction
                } else {
                    config.fpu_reduction
                };
                select_puct(config, edges, utility, fpu)
            }
        }
    }

    /// Adds the node that a move leads to, and returns how often its position occurred before.
    fn expand(&mut self, node: NodeId, edge: usize) -> Option<(NodeId, u32)> {
        let mv = self.tree.moves(node)[edge];
        let position = self.tree.node(node).position.play(mv);
        position.generate(&mut self.legal_moves);
        let repetitions = repetitions(&self.history, position.hash(), position.no_progress());
        let outcome = position.outcome_with(!self.legal_moves.is_empty(), repetitions);
        let proof = match outcome {
            Some(outcome) => Some(Proof::of(outcome, position.turn())),
            None => self
                .prover
                .as_ref()
                .and_then(|prover| prover.prove(&position)),
        };
        let moves = if proof.is_some() {
            &[]
        } else {
            &self.legal_moves[..]
        };
        let child = self.tree.try_push(position, moves, proof)?;
        self.tree.edges_mut(node)[edge].child = Some(child);
        Some((child, repetitions))
    }
}

/// How often a position occurred in the history that leads to it, whose last `no_progress` plies are
/// reversible. A position recurs after four plies at the earliest.
fn repetitions(history: &[u64], hash: u64, no_progress: u32) -> u32 {
    let reversible = history.iter().rev().take(no_progress as usize);
    reversible
        .skip(3)
        .step_by(2)
        .filter(|&&earlier| earlier == hash)
        .count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_look_back_as_far_as_moves_can_be_taken_back() {
        let history = [7, 1, 2, 3, 7, 4, 5, 6];
        assert_eq!(repetitions(&history, 7, 8), 2);
        assert_eq!(repetitions(&history, 7, 7), 1);
        assert_eq!(repetitions(&history, 7, 4), 1);
        assert_eq!(repetitions(&history, 7, 3), 0);
        assert_eq!(repetitions(&history[..2], 7, 80), 0);
    }
}
