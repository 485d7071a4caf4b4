//! The arena of nodes and edges, with fixed memory.

use std::ops::Range;

use rules::{Move, Position};
use types::{Wdl, exp, log_sum_exp};

use crate::Proof;
use crate::known::Known;
use crate::node_id::NodeId;
use crate::prefetch::prefetch;

/// A position reached by the search: one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Node {
    pub(crate) position: Position,
    /// 0 if the game is over.
    n_edges: u32,
    /// The number of values backed up into the node.
    pub(crate) visits: u32,
    /// `Tree::n_roots` at the time a simulation last reached the node.
    last_root: u32,
    /// The mean value for the side to move, or the exact value once proven.
    pub(crate) mean: Wdl,
    /// The evaluator's own value as a q (see [`Edge::q`]).
    pub(crate) raw_q: f32,
    /// The proof, for the side to move.
    pub(crate) proof: Option<Proof>,
}

impl Node {
    /// Updates the mean with a value, weighted as `times` visits.
    pub(crate) fn add(&mut self, value: Wdl, times: u32) {
        self.visits = self.visits.saturating_add(times);
        self.mean = match self.proof {
            Some(proof) => proof.wdl(),
            None => self.mean.averaged(value, times, self.visits),
        };
    }
}

/// A legal move of a node with its statistics, for the side that makes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The logarithm of the evaluator's prior.
    pub(crate) log_prior: f32,
    /// The prior used in selection: with temperature, at the root also with noise.
    pub(crate) prior: f32,
    /// The mean utility in 0..=1: 0 is a loss, 1 a win. Undefined before the first visit; the
    /// node's own value until the first value is backed up.
    pub(crate) q: f32,
    /// Simulations through this move, including pending ones.
    pub(crate) visits: u32,
    /// The child node, once it exists.
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

/// All nodes of one search. Transpositions merge, so this is a graph, but always acyclic.
pub(crate) struct Tree {
    root: NodeId,
    /// The number of root changes so far.
    n_roots: u32,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// A move per entry of `edges`.
    moves: Vec<Move>,
    /// [position hash] the node, as looked up by [`shared`](Tree::shared).
    known: Known,
    max_nodes: usize,
    max_edges: usize,
}

impl Tree {
    /// Memory for edges per node. Large trees have 6 to 8.5 edges per node, since many nodes are
    /// proven or forced. With more, as in endgames with several flying kings, the edges fill the
    /// memory first.
    const EDGES_PER_NODE: usize = 10;

    /// The number of root visits that triggers [fading](Tree::fade).
    const MANY_VISITS: u32 = 1 << 30;

    /// The number of latest roots whose nodes are worth keeping: the current and the previous one.
    const RECENT_ROOTS: u32 = 2;

    /// The size of one node and its edges in bytes.
    pub(crate) const BYTES_PER_NODE: usize =
        size_of::<Node>() + Tree::EDGES_PER_NODE * (size_of::<Edge>() + size_of::<Move>()) + 32;

    /// An empty tree of at most this size, except that the root always fits.
    pub(crate) fn with_memory(bytes: usize) -> Tree {
        let max_nodes = (bytes / Tree::BYTES_PER_NODE).clamp(1, u32::MAX as usize / 64);
        let max_edges = max_nodes * Tree::EDGES_PER_NODE;
        Tree {
            root: NodeId::FIRST,
            n_roots: 0,
            nodes: Vec::with_capacity(max_nodes),
            edges: Vec::with_capacity(max_edges),
            moves: Vec::with_capacity(max_edges),
            known: Known::with_capacity(max_nodes),
            max_nodes,
            max_edges,
        }
    }

    /// Discards the tree and starts a new one at this position.
    pub(crate) fn restart(&mut self, position: Position, moves: &[Move]) {
        self.nodes.clear();
        self.edges.clear();
        self.moves.clear();
        self.known.clear();
        self.root = self.push(position, moves, None);
    }

    /// The root node.
    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// Makes another node the root. Nodes that are not below it stay until memory is needed. If
    /// less than a quarter of the memory is free, room is made now rather than at the end of the
    /// search, when time may be short.
    pub(crate) fn set_root(&mut self, root: NodeId) {
        self.root = root;
        self.n_roots += 1;
        let is_full =
            self.nodes.len() > self.max_nodes / 4 * 3 || self.edges.len() > self.max_edges / 4 * 3;
        if is_full && self.edges(root).len() > 1 {
            self.make_room();
        }
    }

    /// Marks a node as reached and returns it.
    pub(crate) fn come_to(&mut self, id: NodeId) -> &Node {
        let now = self.n_roots;
        let node = self.node_mut(id);
        node.last_root = now;
        node
    }

    /// Prefetches a node and its first edges.
    pub(crate) fn prefetch(&self, id: NodeId) {
        const LINE: usize = 64;
        const LINES: usize = 2;
        prefetch(&self.nodes, id.index());
        let first = id.first_edge();
        for line in 0..LINES {
            prefetch(&self.edges, first + line * LINE / size_of::<Edge>());
        }
    }

    /// Prefetches one of a node's moves.
    pub(crate) fn prefetch_move(&self, id: NodeId, edge: usize) {
        prefetch(&self.moves, id.first_edge() + edge);
    }

    /// Prefetches the entry that [`shared`](Tree::shared) reads.
    pub(crate) fn prefetch_shared(&self, position: &Position) {
        if position.no_progress() == 0 {
            self.known.prefetch(position.hash());
        }
    }

    /// The visited node of a position whose history does not matter, because the last move was a
    /// capture or a man move: no earlier position can recur. Results below it hold for every path
    /// to it.
    pub(crate) fn shared(&self, position: &Position) -> Option<NodeId> {
        if position.no_progress() > 0 {
            return None;
        }
        let id = self.known.get(position.hash())?;
        let node = self.node(id);
        (node.visits > 0 && node.position == *position).then_some(id)
    }

    /// Makes a node available to [`shared`](Tree::shared).
    pub(crate) fn share(&mut self, node: NodeId) {
        let position = self.node(node).position;
        if position.no_progress() == 0 {
            self.known.insert(position.hash(), node);
        }
    }

    /// Adds a node with its moves; `None` if memory is used up.
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
            last_root: self.n_roots,
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

    /// Stores the evaluator's logits as priors, with the given selection temperature.
    pub(crate) fn set_priors(&mut self, id: NodeId, logits: &[f32], temperature: f32) {
        let edges = self.edges_mut(id);
        let normalizer = log_sum_exp(logits);
        for (edge, logit) in edges.iter_mut().zip(logits) {
            edge.log_prior = logit - normalizer;
            edge.prior = exp(edge.log_prior / temperature);
        }
        // At temperature 1 they already sum to one.
        if temperature != 1.0 {
            let sum: f32 = edges.iter().map(|edge| edge.prior).sum();
            edges.iter_mut().for_each(|edge| edge.prior /= sum);
        }
    }

    fn range(&self, id: NodeId) -> Range<usize> {
        let first = id.first_edge();
        first..first + self.node(id).n_edges as usize
    }

    /// Halves all visit counts before their sums can overflow. Visited nodes stay visited, and
    /// means do not change.
    pub(crate) fn fade(&mut self) {
        if self.node(self.root).visits < Tree::MANY_VISITS {
            return;
        }
        let nodes = self.nodes.iter_mut().map(|node| &mut node.visits);
        let edges = self.edges.iter_mut().map(|edge| &mut edge.visits);
        nodes
            .chain(edges)
            .for_each(|visits| *visits = visits.div_ceil(2));
    }

    /// Drops the nodes for which `is_kept` is false. The moves that led to them keep their
    /// statistics. Works in place except for eight bytes per node.
    fn retain(&mut self, is_kept: impl Fn(usize, &Node) -> bool) {
        let mut moved: Vec<Option<NodeId>> = Vec::with_capacity(self.nodes.len());
        let (mut n_nodes, mut n_edges, mut next_edge) = (0, 0, 0);
        for index in 0..self.nodes.len() {
            let node = self.nodes[index];
            let edges = next_edge..next_edge + node.n_edges as usize;
            next_edge = edges.end;
            if !is_kept(index, &node) {
                moved.push(None);
                continue;
            }
            moved.push(Some(NodeId::at(n_nodes, n_edges)));
            self.nodes[n_nodes] = node;
            self.edges.copy_within(edges.clone(), n_edges);
            self.moves.copy_within(edges.clone(), n_edges);
            (n_nodes, n_edges) = (n_nodes + 1, n_edges + edges.len());
        }
        self.nodes.truncate(n_nodes);
        self.edges.truncate(n_edges);
        self.moves.truncate(n_edges);
        let moved = |id: NodeId| moved[id.index()];
        for edge in &mut self.edges {
            edge.child = edge.child.and_then(moved);
        }
        self.known.renumber(moved);
        self.root = moved(self.root).unwrap_or(NodeId::FIRST);
    }

    /// Drops half of the nodes; false if there is nothing to drop. Nodes not reached since the last
    /// few roots go first, because most are no longer below the root; then the least visited, older
    /// ones first. The cutoff is estimated from a sample.
    pub(crate) fn make_room(&mut self) -> bool {
        let (before, now, root) = (self.nodes.len(), self.n_roots, self.root.index());
        let rank = |index: usize, node: &Node| {
            let is_recent = now - node.last_root < Tree::RECENT_ROOTS;
            (is_recent, node.visits, index)
        };
        let sample = self.nodes.iter().enumerate();
        let sample = sample.step_by((before / 4096).max(1));
        let mut ranks: Vec<_> = sample.map(|(index, node)| rank(index, node)).collect();
        let middle = ranks.len() / 2;
        let (_, &mut median, _) = ranks.select_nth_unstable(middle);
        self.retain(|index, node| index == root || rank(index, node) > median);
        self.nodes.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Variant;

    /// Two paths of two moves each from the root to one node, which has a child.
    fn diamond() -> (Tree, [NodeId; 5]) {
        let position = Position::start(Variant::English);
        let moves = &position.legal_moves()[..2];
        let mut tree = Tree::with_memory(1 << 20);
        tree.restart(position, moves);
        let root = tree.root();
        let mut add = |parents: &[(NodeId, usize)], visits| {
            let node = tree.try_push(position, moves, None).unwrap();
            tree.node_mut(node).visits = visits;
            for &(parent, edge) in parents {
                let edge = &mut tree.edges_mut(parent)[edge];
                (edge.child, edge.visits) = (Some(node), visits);
            }
            node
        };
        let left = add(&[(root, 0)], 5);
        let below_left = add(&[(left, 0)], 4);
        let last = add(&[(below_left, 1)], 3);
        let right = add(&[(root, 1)], 6);
        tree.edges_mut(right)[1] = Edge {
            visits: 2,
            child: Some(below_left),
            ..Edge::NEW
        };
        (tree, [root, left, below_left, last, right])
    }

    fn visits_below(tree: &Tree, node: NodeId) -> Vec<u32> {
        let children = tree.edges(node).iter().filter_map(|edge| edge.child);
        let below = children.flat_map(|child| visits_below(tree, child));
        std::iter::once(tree.node(node).visits)
            .chain(below)
            .collect()
    }

    #[test]
    fn what_no_simulation_came_to_from_the_last_roots_goes_first() {
        let (mut tree, [_, left, below_left, last, right]) = diamond();
        for node in [below_left, last] {
            tree.known.insert(u64::from(tree.node(node).visits), node);
        }
        for _ in 0..2 {
            tree.set_root(right);
            tree.come_to(below_left);
        }
        assert!(tree.node(left).visits > tree.node(below_left).visits);
        assert!(tree.make_room());
        assert_eq!(visits_below(&tree, tree.root()), [6, 4]);
        assert_eq!((tree.nodes.len(), tree.edges.len()), (2, 4));
        let known = |visits| tree.known.get(visits).map(|id| tree.node(id).visits);
        assert_eq!([known(4), known(3)], [Some(4), None]);
    }

    #[test]
    fn the_least_visited_go_first_and_their_moves_keep_their_statistics() {
        let (mut tree, [root, ..]) = diamond();
        assert_eq!(visits_below(&tree, root), [0, 5, 4, 3, 6, 4, 3]);
        // The median of 0, 3, 4, 5, 6 is 4.
        assert!(tree.make_room());
        assert_eq!(visits_below(&tree, tree.root()), [0, 5, 6]);
        let right = tree.edges(tree.root())[1].child.unwrap();
        assert_eq!(tree.edges(right)[1].visits, 2);
        assert!(tree.make_room());
        assert_eq!(visits_below(&tree, tree.root()), [0, 6]);
        assert!(tree.make_room());
        assert_eq!(visits_below(&tree, tree.root()), [0]);
        assert!(!tree.make_room());
    }

    #[test]
    fn a_temperature_changes_priors_for_selection_alone() {
        let (mut tree, [root, ..]) = diamond();
        for (temperature, expected) in [(1.0, [0.2, 0.8]), (2.0, [1.0 / 3.0, 2.0 / 3.0])] {
            tree.set_priors(root, &[7.0, 7.0 + 4f32.ln()], temperature);
            let found = tree.edges(root).iter().zip(expected).zip([0.2, 0.8]);
            for ((edge, prior), evaluated) in found {
                assert!((edge.prior - prior).abs() < 1e-5, "{edge:?}");
                assert!((exp(edge.log_prior) - evaluated).abs() < 1e-5, "{edge:?}");
            }
        }
    }

    #[test]
    fn many_visits_are_halved_and_none_is_forgotten() {
        let (mut tree, [root, ..]) = diamond();
        tree.fade();
        assert_eq!(visits_below(&tree, root), [0, 5, 4, 3, 6, 4, 3]);
        tree.node_mut(root).visits = Tree::MANY_VISITS + 1;
        tree.fade();
        let half = Tree::MANY_VISITS / 2 + 1;
        assert_eq!(visits_below(&tree, root), [half, 3, 2, 2, 3, 2, 2]);
        let visits = |node: NodeId| tree.edges(node).iter().map(|edge| edge.visits);
        assert!(visits(root).eq([3, 3]));
        tree.fade();
        assert_eq!(tree.node(root).visits, half);
    }

    #[test]
    fn nodes_are_shared_where_the_past_does_not_matter() {
        let position = Position::from_fen(Variant::English, "W:WK32,30:BK1,3:H0:F1").unwrap();
        let walked = position.play(position.parse_move("32-28").unwrap());
        let mut tree = Tree::with_memory(1 << 20);
        tree.restart(position, &position.legal_moves());
        for (position, is_shared) in [(position, true), (walked, false)] {
            let node = tree
                .try_push(position, &position.legal_moves(), None)
                .unwrap();
            tree.share(node);
            assert_eq!(tree.shared(&position), None, "its value is not known yet");
            tree.node_mut(node).add(Wdl::DRAW, 1);
            assert_eq!(tree.shared(&position), is_shared.then_some(node));
        }
    }
}
