//! Simulations, from the root to a leaf.

use super::{Search, State};
use crate::backup::{Followed, back_up, draw_score_at, hand_up, take_back};
use crate::config::Mode;
use crate::node_id::NodeId;
use crate::select::{q_of, select_gumbel, select_puct, utility_of_q};
use crate::{Proof, Stop};
use rules::Position;

/// Visits of a move per visit credited at once from a node that transpositions lead to.
const VISITS_PER_CATCH_UP: u32 = 16;

/// The end of a simulation's descent.
pub(super) enum Leaf {
    /// A new node to evaluate.
    Open { leaf: NodeId, repetitions: u32 },
    /// A node already in flight.
    Taken,
    /// A node that transpositions have visited more often than the move just followed.
    Known(NodeId),
    /// A proven node.
    Settled(NodeId, Proof),
    /// No memory for the next node.
    NoMemory,
}

/// Simulations with a common path. They advance in steps that alternate with the steps of other
/// descents, to hide memory latency.
pub(super) struct Descent {
    pub(super) path: Vec<Followed>,
    /// The number of simulations.
    pub(super) n: u32,
    next: Next,
}

/// The next step of a descent.
#[derive(Clone, Copy)]
enum Next {
    /// Select a move at this node, the root.
    Leave(NodeId),
    /// Read the node that the last move leads to, which had this many visits before, and select a
    /// move there.
    Visit(NodeId, u32),
    /// Make the last move, which has no child node yet.
    Move(Followed),
    /// Find or add the node of this position after the last move.
    Reach(Followed, Position),
}

impl Search {
    /// Runs one simulation from the root to a leaf; a leaf that needs no evaluation is backed up
    /// immediately.
    pub(super) fn simulate(&mut self) -> State {
        if self.tree.node(self.tree.root()).proof.is_some() {
            return State::Finished(Stop::Proven);
        }
        if self.simulations >= self.budget {
            return State::Finished(Stop::Simulations);
        }
        let mut descent = self.descend(1);
        let leaf = loop {
            // A single simulation never splits.
            if let Some(leaf) = self.step_down(&mut descent, &mut Vec::new()) {
                break leaf;
            }
        };
        let path = &descent.path;
        self.max_depth = self.max_depth.max(path.len());
        let state = match leaf {
            Leaf::Open { leaf, repetitions } => State::Waiting { leaf, repetitions },
            Leaf::Settled(leaf, proof) => {
                self.settle(path, 1, leaf, proof);
                State::Ready
            }
            Leaf::Known(node) => {
                self.catch_up(path, 1, node);
                State::Ready
            }
            Leaf::Taken | Leaf::NoMemory => {
                take_back(&mut self.tree, path, 1);
                State::Finished(Stop::Memory)
            }
        };
        self.spare_paths
            .push(std::mem::replace(&mut self.path, descent.path));
        state
    }

    /// Backs up a proven leaf at the end of a path, for `n` simulations.
    pub(super) fn settle(&mut self, path: &[Followed], n: u32, leaf: NodeId, proof: Proof) {
        let draw_score = self.config.draw_score;
        back_up(&mut self.tree, path, leaf, proof.wdl(), n, draw_score);
        self.simulations += u64::from(n);
    }

    /// Backs up the mean of a node that was visited more often through transpositions than along
    /// this path, for `n` simulations.
    ///
    /// A single visit would add no information, and many similar ones would follow. Each visit
    /// therefore counts several times: a share of the visits so far, but no more than the node has
    /// from elsewhere.
    pub(super) fn catch_up(&mut self, path: &[Followed], n: u32, node: NodeId) {
        let Some(last) = path.last() else {
            return;
        };
        let (value, most) = (self.tree.node(node).mean, self.tree.node(node).visits);
        let visits = self.tree.edges(last.node)[last.edge].visits;
        let more = (visits / VISITS_PER_CATCH_UP)
            .saturating_mul(n)
            .min(most.saturating_sub(visits));
        let draw_score = self.config.draw_score;
        hand_up(
            &mut self.tree,
            path,
            node,
            value,
            n + more,
            more,
            draw_score,
        );
        self.simulations += u64::from(n);
    }

    /// Starts `n` simulations at the root.
    pub(super) fn descend(&mut self, n: u32) -> Descent {
        self.tree.fade();
        let next = Next::Leave(self.tree.root());
        self.descent(&[], n, next)
    }

    /// A descent of `n` simulations that have followed this path.
    fn descent(&mut self, gone: &[Followed], n: u32, next: Next) -> Descent {
        let mut path = self.spare_paths.pop().unwrap_or_default();
        path.clear();
        path.extend_from_slice(gone);
        Descent { path, n, next }
    }

    /// Advances one step; returns the leaf at the end, a new or proven node. New nodes with one
    /// legal move are passed without an evaluation. Moves count as visited as soon as they are
    /// followed. Simulations that branch off here are added to `parted`.
    pub(super) fn step_down(
        &mut self,
        descent: &mut Descent,
        parted: &mut Vec<Descent>,
    ) -> Option<Leaf> {
        match descent.next {
            Next::Leave(node) => self.leave(node, descent, parted),
            Next::Visit(node, visits_before) => {
                let n_moves = self.tree.edges(node).len();
                let reached = self.tree.come_to(node);
                if let Some(proof) = reached.proof {
                    return Some(Leaf::Settled(node, proof));
                }
                if reached.visits > visits_before {
                    return Some(Leaf::Known(node));
                }
                if n_moves > 1 && reached.visits == 0 {
                    return Some(Leaf::Taken);
                }
                self.leave(node, descent, parted);
            }
            Next::Move(last) => {
                let mv = self.tree.moves(last.node)[last.edge];
                let position = self.tree.node(last.node).position.play(mv);
                if self.remembers() {
                    self.tree.prefetch_shared(&position);
                }
                descent.next = Next::Reach(last, position);
            }
            Next::Reach(last, position) => return self.reach(&position, last, descent),
        }
        None
    }

    /// Leaves a node along as many moves as the simulations select.
    fn leave(&mut self, node: NodeId, descent: &mut Descent, parted: &mut Vec<Descent>) {
        loop {
            let (edge, n) = self.select(node, descent.path.len(), descent.n);
            if n == descent.n {
                self.take(node, edge, descent);
                return;
            }
            let mut part = self.descent(&descent.path, n, descent.next);
            self.take(node, edge, &mut part);
            parted.push(part);
            descent.n -= n;
        }
    }

    /// Continues along a move of a node.
    fn take(&mut self, node: NodeId, edge: usize, descent: &mut Descent) {
        let depth = descent.path.len();
        descent.path.push(Followed { node, edge });
        let mean = self.tree.node(node).mean;
        let followed = &mut self.tree.edges_mut(node)[edge];
        let visits_before = followed.visits;
        followed.visits += descent.n;
        descent.next = match followed.child {
            Some(child) => {
                self.tree.prefetch(child);
                Next::Visit(child, visits_before)
            }
            None => {
                if visits_before == 0 {
                    followed.q = q_of(mean, draw_score_at(self.config.draw_score, depth));
                }
                self.tree.prefetch_move(node, edge);
                Next::Move(Followed { node, edge })
            }
        };
    }

    /// The move to follow next and for how many simulations in a row, at most `most`.
    fn select(&mut self, node: NodeId, depth: usize, most: u32) -> (usize, u32) {
        let (data, edges) = (self.tree.node(node), self.tree.edges(node));
        let config = &self.config;
        match config.mode {
            Mode::Gumbel if node == self.tree.root() => {
                (self.root.select(config, self.left(), &self.tree), 1)
            }
            Mode::Gumbel => (select_gumbel(config, data, edges, &mut self.policy), 1),
            Mode::Puct if edges.len() == 1 => (0, most),
            Mode::Puct => {
                let draw_score = draw_score_at(self.config.draw_score, depth);
                let utility = utility_of_q(q_of(data.mean, draw_score));
                let is_root = node == self.tree.root();
                let fpu = if is_root {
                    config.puct_root_fpu_reduction
                } else {
                    config.puct_fpu_reduction
                };
                // The first visit was the node's own evaluation.
                let sum_visits = data.visits.saturating_sub(1);
                select_puct(edges, self.weights.of(sum_visits), utility, fpu, most)
            }
        }
    }

    /// Arrives at the position after the last move of a path: at its node, or at a new one.
    fn reach(
        &mut self,
        position: &Position,
        Followed { node, edge }: Followed,
        descent: &mut Descent,
    ) -> Option<Leaf> {
        let followed = self.tree.edges(node)[edge];
        let remembers = self.remembers();
        // A proof on an edge outlives the node that it came from.
        let shared = || match remembers && followed.proof.is_none() {
            true => self.tree.shared(position),
            false => None,
        };
        // Another simulation may have added the node first.
        if let Some(child) = followed.child.or_else(shared) {
            self.tree.edges_mut(node)[edge].child = Some(child);
            self.tree.prefetch(child);
            descent.next = Next::Visit(child, followed.visits.saturating_sub(descent.n));
            return None;
        }
        position.generate(&mut self.legal_moves);
        let repetitions = self.repetitions(position, &descent.path);
        let outcome = position.outcome_with(!self.legal_moves.is_empty(), repetitions);
        let proof = match (outcome, followed.proof) {
            (Some(outcome), _) => Some(Proof::of(outcome, position.turn())),
            (None, Some(proof)) => Some(proof.after_the_move()),
            (None, None) => self
                .prover
                .as_ref()
                .and_then(|prover| prover.prove(position)),
        };
        let moves = if proof.is_some() {
            &[]
        } else {
            &self.legal_moves[..]
        };
        let Some(leaf) = self.tree.try_push(*position, moves, proof) else {
            return Some(Leaf::NoMemory);
        };
        if remembers {
            self.tree.share(leaf);
        }
        self.tree.edges_mut(node)[edge].child = Some(leaf);
        match proof {
            Some(proof) => Some(Leaf::Settled(leaf, proof)),
            None if moves.len() > 1 => Some(Leaf::Open { leaf, repetitions }),
            None => {
                // There is only one move.
                self.leave(leaf, descent, &mut Vec::new());
                None
            }
        }
    }

    /// The number of earlier occurrences of the position at the end of a path, on the path and in
    /// the game. A position recurs after at least four plies, and only within the plies since the
    /// last irreversible move.
    fn repetitions(&self, position: &Position, path: &[Followed]) -> u32 {
        let reversible = position.no_progress() as usize;
        if reversible < 4 {
            return 0;
        }
        let hash = Some(position.hash());
        let earlier = |&plies: &usize| self.hash_before(path, plies) == hash;
        (4..=reversible).step_by(2).filter(earlier).count() as u32
    }

    /// The hash of the position this many plies before the end of the path.
    fn hash_before(&self, path: &[Followed], plies: usize) -> Option<u64> {
        let depth = path.len();
        match depth.checked_sub(plies) {
            Some(index) => Some(self.tree.node(path[index].node).position.hash()),
            None => self.history.iter().nth_back(plies - depth).copied(),
        }
    }
}
