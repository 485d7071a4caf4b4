//! The arena: nodes and the edges between them, in memory of fixed size.

use std::num::NonZeroU32;
use std::ops::Range;

use rules::{Move, Position};

use crate::formulas::{exp, log_sum_exp};
use crate::{Proof, Wdl};

/// Where a node and its edges are: in a large tree both come from far away, and neither has to wait for the
/// other. Each node has one parent, so there is one path to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId {
    /// Index plus one, so that no node takes no more memory than one.
    number: NonZeroU32,
    first_edge: u32,
}

/// The root is the first node.
pub(crate) const ROOT: NodeId = NodeId {
    number: NonZeroU32::MIN,
    first_edge: 0,
};

impl NodeId {
    /// The node at this index, whose edges begin at that one.
    fn at(index: usize, first_edge: usize) -> NodeId {
        NodeId {
            number: NonZeroU32::MIN.saturating_add(index as u32),
            first_edge: first_edge as u32,
        }
    }

    fn index(self) -> usize {
        self.number.get() as usize - 1
    }
}

/// A position that the search has reached: one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Node {
    pub(crate) position: Position,
    /// None if the game is over.
    n_edges: u32,
    /// Values backed up into it.
    pub(crate) visits: u32,
    /// Their mean for the mover, or the exact value once that is proven.
    pub(crate) mean: Wdl,
    /// The evaluator's own value as a q (see [`Edge::q`]).
    pub(crate) raw_q: f32,
    /// The proof, from the mover's view.
    pub(crate) proof: Option<Proof>,
}

impl Node {
    /// Adds a value to the mean.
    pub(crate) fn add(&mut self, value: Wdl) {
        self.visits += 1;
        self.mean = match self.proof {
            Some(proof) => proof.wdl(),
            None => self.mean.averaged(value, self.visits),
        };
    }
}

/// A legal move of a node with its statistics, from the view of the side that makes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Logarithm of the evaluator's prior.
    pub(crate) log_prior: f32,
    /// The prior for selection: the evaluator's, at the root mixed with noise.
    pub(crate) prior: f32,
    /// Mean utility in 0..=1: 0 is a loss, 1 a win. Undefined before the first visit; until the first
    /// value comes back it is that of the node.
    pub(crate) q: f32,
    /// Simulations that went through this move, those included whose value is not known yet.
    pub(crate) visits: u32,
    /// The node it leads to, once there is one.
    pub(crate) child: Option<NodeId>,
    /// The proof of the move.
    pub(crate) proof: Option<Proof>,
}

impl Edge {
    pub(crate) const NEW: Edge = Edge {
        log_prior: 0.0,
        prior: 1.0,
        q: 0.0,
        visits: 0,
        child: None,
        proof: None,
    };
}

/// All nodes of one search.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// One for each of `edges`.
    moves: Vec<Move>,
    max_nodes: usize,
    max_edges: usize,
}

impl Tree {
    /// Memory for edges, per node: twice what middle games need, enough for endgames with several
    /// flying kings.
    const EDGES_PER_NODE: usize = 16;

    /// Size of one node and its edges.
    pub(crate) const BYTES_PER_NODE: usize =
        size_of::<Node>() + Tree::EDGES_PER_NODE * (size_of::<Edge>() + size_of::<Move>());

    /// An empty tree of at most this size, except for a root that needs more.
    pub(crate) fn with_memory(bytes: usize) -> Tree {
        let max_nodes = (bytes / Tree::BYTES_PER_NODE).clamp(1, u32::MAX as usize / 64);
        let max_edges = max_nodes * Tree::EDGES_PER_NODE;
        Tree {
            nodes: Vec::with_capacity(max_nodes),
            edges: Vec::with_capacity(max_edges),
            moves: Vec::with_capacity(max_edges),
            max_nodes,
            max_edges,
        }
    }

    /// Drops the old tree and starts one at this position.
    pub(crate) fn restart(&mut self, position: Position, moves: &[Move]) {
        self.nodes.clear();
        self.edges.clear();
        self.moves.clear();
        self.push(position, moves, None);
    }

    /// Adds a node with its moves; `None` if the memory is used up.
    pub(crate) fn try_push(
        &mut self,
        position: Position,
        moves: &[Move],
        proof: Option<Proof>,
    ) -> Option<NodeId> {
        let fits =
            self.nodes.len() < self.max_nodes && self.edges.len() + moves.len() <= self.max_edges;
        fits.then(|| self.push(position, moves, proof))
    }

    fn push(&mut self, position: Position, moves: &[Move], proof: Option<Proof>) -> NodeId {
        let id = NodeId::at(self.nodes.len(), self.edges.len());
        self.nodes.push(Node {
            position,
            n_edges: moves.len() as u32,
            visits: 0,
            mean: Wdl::DRAW,
            raw_q: 0.5,
            proof,
        });
        self.moves.extend_from_slice(moves);
        self.edges.resize(self.moves.len(), Edge::NEW);
        id
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// The legal moves of a node, in the order of [`Position::legal_moves`].
    pub(crate) fn moves(&self, id: NodeId) -> &[Move] {
        &self.moves[self.range(id)]
    }

    /// The edges of a node, in the order of its moves.
    pub(crate) fn edges(&self, id: NodeId) -> &[Edge] {
        &self.edges[self.range(id)]
    }

    pub(crate) fn edges_mut(&mut self, id: NodeId) -> &mut [Edge] {
        let range = self.range(id);
        &mut self.edges[range]
    }

    /// Stores the evaluator's logits as priors.
    pub(crate) fn set_priors(&mut self, id: NodeId, logits: &[f32]) {
        let edges = self.edges_mut(id);
        let normaliser = log_sum_exp(logits);
        for (edge, logit) in edges.iter_mut().zip(logits) {
            edge.log_prior = logit - normaliser;
            edge.prior = exp(edge.log_prior);
        }
    }

    fn range(&self, id: NodeId) -> Range<usize> {
        let first = id.first_edge as usize;
        first..first + self.node(id).n_edges as usize
    }

    /// Makes `root` the root, and drops all nodes but those below it to which moves lead that are kept, as are
    /// all nodes above them. The moves that led to dropped nodes keep their statistics. Memory is moved, not
    /// allocated, but for four bytes a node.
    pub(crate) fn recycle(&mut self, root: NodeId, is_kept: impl Fn(&Edge) -> bool) {
        // A node comes after its parent, so each is moved after its parent and never over one that is to come.
        let mut edge_to = vec![None::<NonZeroU32>; self.nodes.len()];
        let (mut n_nodes, mut n_edges) = (0, 0);
        for index in root.index()..self.nodes.len() {
            let id = match edge_to[index] {
                Some(edge) => {
                    let to = NodeId::at(n_nodes, n_edges);
                    self.edges[edge.get() as usize - 1].child.replace(to)
                }
                None => (index == root.index()).then_some(root),
            };
            let Some(id) = id else {
                continue;
            };
            let edges = self.range(id);
            let moved = n_edges..n_edges + edges.len();
            self.edges.copy_within(edges.clone(), n_edges);
            self.moves.copy_within(edges, n_edges);
            self.nodes[n_nodes] = self.nodes[index];
            for edge in moved.clone() {
                let number = NonZeroU32::new(edge as u32 + 1);
                let edge = &mut self.edges[edge];
                if is_kept(edge)
                    && let Some(child) = edge.child
                {
                    edge_to[child.index()] = number;
                } else {
                    edge.child = None;
                }
            }
            n_nodes += 1;
            n_edges = moved.end;
        }
        self.nodes.truncate(n_nodes);
        self.edges.truncate(n_edges);
        self.moves.truncate(n_edges);
    }

    /// Recycles the half of the nodes that were visited least; false if that is none. Where the half ends is
    /// estimated from a sample.
    pub(crate) fn halve(&mut self) -> bool {
        let before = self.nodes.len();
        let sample = self.edges.iter().step_by((before / 4096).max(1));
        let followed = sample.filter(|edge| edge.child.is_some());
        let mut visits: Vec<u32> = followed.map(|edge| edge.visits).collect();
        if visits.is_empty() {
            return false;
        }
        let middle = visits.len() / 2;
        let (_, &mut median, _) = visits.select_nth_unstable(middle);
        self.recycle(ROOT, |edge| edge.visits > median);
        self.nodes.len() < before
    }
}
