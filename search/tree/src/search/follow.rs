//! Tree reuse between moves.

use rand::Rng;
use rules::Game;

use super::{Search, State};
use crate::Stop;
use crate::config::Mode;
use crate::node_id::NodeId;

/// The maximum number of plies between two searches: the own move and the reply.
const MOST_PLIES: usize = 2;

impl Search {
    /// Like [`begin`](Search::begin), but reuses the tree of the last search if the game's moves
    /// since then lead to a node in it; the rest of the tree is recycled when memory is needed.
    /// Reuse requires PUCT mode without noise and at most two plies since the last search. In this
    /// mode a forced move is searched as well: the position gets a value, and the next searches
    /// reuse the tree.
    ///
    /// # Panics
    ///
    /// If there is no legal move.
    pub fn follow(&mut self, game: &Game, simulations: u32, rng: &mut impl Rng) {
        match self.node_of(game) {
            None => self.begin(game, simulations, rng),
            Some(node) => {
                self.tree.set_root(node);
                let n_moves = self.tree.edges(self.tree.root()).len();
                self.root.begin(&self.config, n_moves, rng);
                self.set_out(game, simulations);
            }
        }
        if self.remembers() && self.state == State::Finished(Stop::Forced) {
            self.state = State::Ready;
        }
    }

    /// True if results about a position can be reused, by the next searches of a game and through
    /// transpositions. With noise they cannot, since the noise would have to be removed first.
    pub(super) fn remembers(&self) -> bool {
        self.config.mode == Mode::Puct && !self.config.has_root_noise()
    }

    /// The node of a game's current position, if it can be reused.
    fn node_of(&self, game: &Game) -> Option<NodeId> {
        let is_kept = self.remembers() && self.state != State::Idle;
        let mut history = self.history.clone();
        let node = is_kept.then(|| self.find(self.tree.root(), game, &mut history))??;
        let plies = history.len() - self.history.len();
        // The tree's values are relative to the player at its root.
        let same_view = self.config.draw_score == 0.0 || plies.is_multiple_of(2);
        let (data, n_moves) = (self.tree.node(node), self.tree.edges(node).len());
        let is_known = data.visits > 0 && n_moves == game.legal_moves().len();
        (same_view && is_known).then_some(node)
    }

    /// The node at or below `node` with the same position and the same relevant history. `history`
    /// holds the hashes of all positions up to `node`, on return up to the node found.
    fn find(&self, node: NodeId, game: &Game, history: &mut Vec<u64>) -> Option<NodeId> {
        let position = &self.tree.node(node).position;
        if position == game.position() {
            let (_, earlier) = history.split_last()?;
            let recent = |hashes: &[u64]| {
                let first = hashes.len().saturating_sub(position.no_progress() as usize);
                hashes[first..].to_vec()
            };
            return (recent(earlier) == recent(game.earlier_hashes())).then_some(node);
        }
        if history.len() >= self.history.len() + MOST_PLIES {
            return None;
        }
        let children = self.tree.edges(node).iter().filter_map(|edge| edge.child);
        children.into_iter().find_map(|child| {
            history.push(self.tree.node(child).position.hash());
            let found = self.find(child, game, history);
            if found.is_none() {
                history.pop();
            }
            found
        })
    }
}
