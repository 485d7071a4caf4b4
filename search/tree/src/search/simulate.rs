//! Simulations, from the root to a leaf.

use super::{Search, State};
use crate::backup::{Followed, back_up, draw_score_at, hand_up, take_back};
use crate::config::Mode;
use crate::node_id::NodeId;
use crate::select::{q_of, select_gumbel, select_puct, utility_of_q};
use crate::{Proof, Stop};
use rules::Position;

/// Visits of a move for each that it gets at once from a node that other ways lead to.
const VISITS_PER_CATCH_UP: u32 = 16;

/// Where simulations ended.
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

/// Simulations on the same way down. They go in steps, between which others can go theirs while memory comes that the
/// next one needs.
pub(super) struct Descent {
    pub(super) path: Vec<Followed>,
    /// How many they are.
    pub(super) n: u32,
    next: Next,
}

/// The next step of a descent.
#[derive(Clone, Copy)]
enum Next {
    /// Select a move of this node, the root.
    Leave(NodeId),
    /// Look at the node that the last move leads to, which had so many visits before, and leave it.
    Visit(NodeId, u32),
    /// Make this move, the last one, which leads to no node yet.
    Move(Followed),
    /// Find or add the node of this position, to which the last move leads.
    Reach(Followed, Position),
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
        let mut descent = self.descend(1);
        let leaf = loop {
            // One alone does not part.
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

    /// Backs up the mean of a node that was visited more often than this path leads to it, for `n` simulations.
    ///
    /// One visit would bring nothing new, and be followed by many like it, so each makes several: a share of those so
    /// far, and no more than there are elsewhere.
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

    /// So many simulations at the root.
    pub(super) fn descend(&mut self, n: u32) -> Descent {
        self.tree.fade();
        let next = Next::Leave(self.tree.root());
        self.descent(&[], n, next)
    }

    /// So many simulations that have gone this way.
    fn descent(&mut self, gone: &[Followed], n: u32, next: Next) -> Descent {
        let mut path = self.spare_paths.pop().unwrap_or_default();
        path.clear();
        path.extend_from_slice(gone);
        Descent { path, n, next }
    }

    /// One step down; something comes back at the end, a new or proven node. New nodes with one legal move are
    /// passed without an evaluation. The moves followed count as visited from now on. Simulations that go another
    /// way from here on come to `parted`.
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

    /// Leaves a node by as many moves as the simulations select.
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

    /// Goes on by a move of a node.
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

    /// The move of a node that is followed next, and how often in a row, at most `most` times.
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
                // Its first visit was its own evaluation.
                let sum_visits = data.visits.saturating_sub(1);
                select_puct(edges, self.weights.of(sum_visits), utility, fpu, most)
            }
        }
    }

    /// Comes to the position that the last move of a path leads to: to its node, or to a new one.
    fn reach(
        &mut self,
        position: &Position,
        Followed { node, edge }: Followed,
        descent: &mut Descent,
    ) -> Option<Leaf> {
        let followed = self.tree.edges(node)[edge];
        let remembers = self.remembers();
        // A proof outlives the node that it was found at.
        let shared = || match remembers && followed.proof.is_none() {
            true => self.tree.shared(position),
            false => None,
        };
        // Another simulation may have come here first.
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
                // Its move is the only one.
                self.leave(leaf, descent, &mut Vec::new());
                None
            }
        }
    }

    /// How often the position at the end of a path occurred before, on the path and in the game. A position recurs
    /// after four plies at the earliest, and not before the last move that cannot be taken back.
    fn repetitions(&self, position: &Position, path: &[Followed]) -> u32 {
        let reversible = position.no_progress() as usize;
        if reversible < 4 {
            return 0;
        }
        let hash = Some(position.hash());
        let earlier = |&plies: &usize| self.hash_before(path, plies) == hash;
        (4..=reversible).step_by(2).filter(earlier).count() as u32
    }

    /// The hash of the position so many plies before the end of the path.
    fn hash_before(&self, path: &[Followed], plies: usize) -> Option<u64> {
        let depth = path.len();
        match depth.checked_sub(plies) {
            Some(index) => Some(self.tree.node(path[index].node).position.hash()),
            None => self.history.iter().nth_back(plies - depth).copied(),
        }
    }
}
