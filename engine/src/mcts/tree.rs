//! The tree of UCT: a node for each move of every expanded position.

use rand::Rng;
use rules::Move;
use search::Wdl;

use super::line::Line;

/// Nodes that a tree may have; then it grows no more, and goes on with random games.
const MAX_NODES: usize = 4_000_000;

/// Index of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId(u32);

/// The position searched. Its own move means nothing.
pub(super) const ROOT: NodeId = NodeId(0);

/// A move, and what came of it.
struct Node {
    /// The move that leads here.
    mv: Move,
    /// Simulations through this move.
    visits: u32,
    /// Those that the side that made the move won, and those that were drawn.
    wins: u32,
    draws: u32,
    /// The moves that follow lie side by side; none before the second visit.
    first_child: u32,
    n_children: u32,
}

impl Node {
    fn new(mv: Move) -> Node {
        Node {
            mv,
            visits: 0,
            wins: 0,
            draws: 0,
            first_child: 0,
            n_children: 0,
        }
    }
}

/// All nodes of one search.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The nodes of the current simulation, the root first.
    path: Vec<NodeId>,
}

/// `mean + sqrt(2 ln(parent visits) / visits)` for rewards in 0..=1: more visits of the parent
/// raise it, more visits of the move lower it.
fn ucb1(mean: f32, parent_visits: u32, visits: u32) -> f32 {
    mean + (2.0 * (parent_visits as f32).ln() / visits as f32).sqrt()
}

impl Tree {
    /// Drops the old tree. The root has these moves.
    pub(super) fn restart(&mut self, moves: &[Move]) {
        self.nodes.clear();
        self.nodes.push(Node::new(moves[0]));
        self.expand(ROOT, moves);
    }

    /// One simulation: down the tree, one random game, results into every node passed.
    pub(super) fn simulate(&mut self, line: &mut Line, rng: &mut impl Rng) {
        line.restart();
        let first_mover = line.position().turn();
        self.path.clear();
        self.path.push(ROOT);
        let mut node = ROOT;
        let outcome = loop {
            if self.node(node).n_children == 0 && self.nodes.len() < MAX_NODES {
                self.expand(node, line.legal_moves());
            }
            if self.node(node).n_children == 0 {
                break line.play_out(rng);
            }
            node = self.select(node);
            self.path.push(node);
            let outcome = line.play(self.node(node).mv);
            if let Some(outcome) = outcome {
                break outcome;
            }
            if self.node(node).visits == 0 {
                break line.play_out(rng);
            }
        };
        let winner = outcome.winner();
        for (ply, id) in self.path.iter().enumerate() {
            let node = &mut self.nodes[id.0 as usize];
            // Odd plies are moves of the side to move at the root.
            let mover = if ply % 2 == 1 {
                first_mover
            } else {
                !first_mover
            };
            node.visits += 1;
            node.wins += u32::from(winner == Some(mover));
            node.draws += u32::from(winner.is_none());
        }
    }

    /// Simulations made.
    pub(super) fn simulations(&self) -> u64 {
        self.node(ROOT).visits.into()
    }

    /// The child with the most visits, the first of equals.
    pub(super) fn best_child(&self, id: NodeId) -> NodeId {
        let first = self.node(id).first_child;
        let more = |best: u32, other: u32| {
            let visits = |id| self.node(NodeId(id)).visits;
            if visits(other) > visits(best) {
                other
            } else {
                best
            }
        };
        NodeId(self.children(id).fold(first, more))
    }

    /// The most visited moves, one after the other.
    pub(super) fn principal_variation(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut node = ROOT;
        while self.node(node).n_children > 0 {
            node = self.best_child(node);
            if self.node(node).visits == 0 && !moves.is_empty() {
                break;
            }
            moves.push(self.node(node).mv);
        }
        moves
    }

    /// What the random games say of a move, from the view of the side that makes it.
    pub(super) fn value(&self, id: NodeId) -> Option<Wdl> {
        let node = self.node(id);
        let share = |n: u32| n as f32 / node.visits as f32;
        (node.visits > 0).then(|| Wdl {
            win: share(node.wins),
            draw: share(node.draws),
            loss: share(node.visits - node.wins - node.draws),
        })
    }

    /// The first move never tried, or the one with the largest UCB1.
    fn select(&self, id: NodeId) -> NodeId {
        let parent_visits = self.node(id).visits;
        let mut best = (NodeId(self.node(id).first_child), f32::NEG_INFINITY);
        for child in self.children(id).map(NodeId) {
            let node = self.node(child);
            if node.visits == 0 {
                return child;
            }
            let mean = (node.wins as f32 + 0.5 * node.draws as f32) / node.visits as f32;
            let bound = ucb1(mean, parent_visits, node.visits);
            if bound > best.1 {
                best = (child, bound);
            }
        }
        best.0
    }

    fn expand(&mut self, id: NodeId, moves: &[Move]) {
        let first = self.nodes.len() as u32;
        self.nodes.extend(moves.iter().map(|&mv| Node::new(mv)));
        let node = &mut self.nodes[id.0 as usize];
        (node.first_child, node.n_children) = (first, moves.len() as u32);
    }

    fn children(&self, id: NodeId) -> std::ops::Range<u32> {
        let node = self.node(id);
        node.first_child..node.first_child + node.n_children
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rules::{Game, Position, Variant};

    #[test]
    fn ucb1_by_hand() {
        // 0.5 + sqrt(2 ln 100 / 25) = 0.5 + 0.606975.
        assert!((ucb1(0.5, 100, 25) - 1.106_975).abs() < 1e-5);
    }

    #[test]
    fn every_simulation_is_counted_once_on_each_level() {
        for variant in Variant::ALL {
            let game = Game::new(Position::start(variant));
            let mut tree = Tree::default();
            tree.restart(&game.legal_moves());
            let (mut line, mut rng) = (Line::new(&game), ChaCha8Rng::seed_from_u64(1));
            for _ in 0..300 {
                tree.simulate(&mut line, &mut rng);
            }
            assert_eq!(tree.simulations(), 300);
            for id in (0..tree.nodes.len() as u32).map(NodeId) {
                let node = tree.node(id);
                assert!(node.wins + node.draws <= node.visits);
                if node.n_children > 0 {
                    let below: u32 = tree.children(id).map(|c| tree.node(NodeId(c)).visits).sum();
                    // The first visit of a node is its own random game.
                    let own = u32::from(id != ROOT);
                    assert_eq!(below + own, node.visits, "{variant}");
                }
            }
            // What one side wins the other loses.
            let root = tree.value(ROOT).unwrap();
            let wins: u32 = tree.children(ROOT).map(|c| tree.node(NodeId(c)).wins).sum();
            assert!((root.loss - wins as f32 / 300.0).abs() < 1e-6);
        }
    }
}
