//! One simulation, from the root to a leaf.

use super::{Search, State};
use crate::backup::{Followed, back_up, draw_score_at, hand_up, take_back};
use crate::config::Mode;
use crate::select::{q_of, select_gumbel, select_puct, utility_of_q};
use crate::tree::NodeId;
use crate::{Proof, Stop};
use rules::Position;

/// Visits of a move for each that it gets at once from a node that other ways lead to.
const VISITS_PER_CATCH_UP: u32 = 16;

/// Where a simulation ended.
pub(super) enum Leaf {
    /// A new node to evaluate.
    Open { leaf: NodeId, repetitions: u32 },
    /// A node whose evaluation is under way.
    Taken,
    /// A node that was visited more often than the move that leads to it: by other ways.
    Known(NodeId),
    /// A proven node.
    Settled(NodeId, Proof),
    /// There is no memory for the next node.
    NoMemory,
}

impl Search {
    /// One simulation from the root to a leaf; a leaf that needs no evaluation is backed up at once.
    pub(super) fn simulate(&mut self) -> State {
        if self.tree.node(self.tree.root()).proof.is_some() {
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
                self.settle(leaf, proof);
                State::Ready
            }
            Leaf::Known(node) => {
                self.catch_up(node);
                State::Ready
            }
            Leaf::Taken | Leaf::NoMemory => {
                take_back(&mut self.tree, &self.path);
                State::Finished(Stop::Memory)
            }
        }
    }

    /// Backs up a proven leaf at the end of the current path.
    pub(super) fn settle(&mut self, leaf: NodeId, proof: Proof) {
        let draw_score = self.config.draw_score;
        back_up(&mut self.tree, &self.path, leaf, proof.wdl(), draw_score);
        self.simulations += 1;
    }

    /// Backs up the mean of a node that was visited more often than the current path leads to it.
    ///
    /// One visit would bring nothing new, and be followed by many like it, so there are several: a share of those so
    /// far, and no more than there are elsewhere.
    pub(super) fn catch_up(&mut self, node: NodeId) {
        let Some(last) = self.path.last() else {
            return;
        };
        let (value, most) = (self.tree.node(node).mean, self.tree.node(node).visits);
        let visits = self.tree.edges(last.node)[last.edge].visits;
        let times = 1 + (visits / VISITS_PER_CATCH_UP).min(most - visits);
        let draw_score = self.config.draw_score;
        hand_up(&mut self.tree, &self.path, node, value, times, draw_score);
        self.simulations += 1;
    }

    /// Follows selected moves to a new or proven node. New nodes with one legal move are passed without
    /// an evaluation. The moves followed count as visited from now on.
    pub(super) fn descend(&mut self) -> Leaf {
        self.tree.fade();
        self.path.clear();
        let mut node = self.tree.root();
        loop {
            let edge = self.select(node);
            self.path.push(Followed { node, edge });
            let followed = &mut self.tree.edges_mut(node)[edge];
            followed.visits += 1;
            let visits = followed.visits;
            let (child, new) = match followed.child {
                Some(child) => (child, None),
                None => match self.expand(node, edge) {
                    Some(reached) => reached,
                    None => return Leaf::NoMemory,
                },
            };
            let n_moves = self.tree.edges(child).len();
            let reached = self.tree.come_to(child);
            if let Some(proof) = reached.proof {
                return Leaf::Settled(child, proof);
            }
            if reached.visits >= visits {
                return Leaf::Known(child);
            }
            if n_moves > 1 {
                if let Some(repetitions) = new {
                    return Leaf::Open {
                        leaf: child,
                        repetitions,
                    };
                }
                if reached.visits == 0 {
                    return Leaf::Taken;
                }
            }
            node = child;
        }
    }

    fn select(&mut self, node: NodeId) -> usize {
        let (data, edges) = (self.tree.node(node), self.tree.edges(node));
        match &self.config.mode {
            Mode::Gumbel(config) if node == self.tree.root() => {
                self.root.select(config, self.left(), &self.tree)
            }
            Mode::Gumbel(config) => select_gumbel(config, data, edges, &mut self.policy),
            Mode::Puct(config) => {
                let draw_score = draw_score_at(self.config.draw_score, self.path.len());
                let utility = utility_of_q(q_of(data.mean, draw_score));
                let is_root = node == self.tree.root();
                let fpu = if is_root {
                    config.root_fpu_reduction
                } else {
                    config.fpu_reduction
                };
                // Its first visit was its own evaluation.
                let sum_visits = data.visits.saturating_sub(1);
                select_puct(edges, self.weights.of(sum_visits), utility, fpu)
            }
        }
    }

    /// Adds the node that a move leads to, and returns it; if it is a new one, with how often its position occurred
    /// before.
    fn expand(&mut self, node: NodeId, edge: usize) -> Option<(NodeId, Option<u32>)> {
        let mv = self.tree.moves(node)[edge];
        let position = self.tree.node(node).position.play(mv);
        let remembers = self.remembers();
        // A proof outlives the node that it was found at.
        let known_proof = self.tree.edges(node)[edge].proof;
        if remembers
            && known_proof.is_none()
            && let Some(child) = self.tree.shared(&position)
        {
            self.tree.edges_mut(node)[edge].child = Some(child);
            return Some((child, None));
        }
        position.generate(&mut self.legal_moves);
        let repetitions = self.repetitions(&position);
        let outcome = position.outcome_with(!self.legal_moves.is_empty(), repetitions);
        let proof = match (outcome, known_proof) {
            (Some(outcome), _) => Some(Proof::of(outcome, position.turn())),
            (None, Some(proof)) => Some(proof.after_the_move()),
            (None, None) => self
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
        if remembers {
            self.tree.share(child);
        }
        let (mean, depth) = (self.tree.node(node).mean, self.path.len() - 1);
        let edge = &mut self.tree.edges_mut(node)[edge];
        edge.child = Some(child);
        if edge.visits == 1 {
            edge.q = q_of(mean, draw_score_at(self.config.draw_score, depth));
        }
        Some((child, Some(repetitions)))
    }

    /// How often the position at the end of the path occurred before, on the path and in the game. A position recurs
    /// after four plies at the earliest, and not before the last move that cannot be taken back.
    fn repetitions(&self, position: &Position) -> u32 {
        let reversible = position.no_progress() as usize;
        if reversible < 4 {
            return 0;
        }
        let hash = Some(position.hash());
        let earlier = |&plies: &usize| self.hash_before(plies) == hash;
        (4..=reversible).step_by(2).filter(earlier).count() as u32
    }

    /// The hash of the position so many plies before the end of the path.
    fn hash_before(&self, plies: usize) -> Option<u64> {
        let depth = self.path.len();
        match depth.checked_sub(plies) {
            Some(index) => Some(self.tree.node(self.path[index].node).position.hash()),
            None => self.history.iter().nth_back(plies - depth).copied(),
        }
    }
}
