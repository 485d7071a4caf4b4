//! The positions on the way to the current node, for the repetition rule.

use rules::Game;

/// Hashes of the positions of the game, then of the line that is searched; the node itself is not among
/// them.
#[derive(Clone, Default)]
pub(crate) struct Path {
    hashes: Vec<u64>,
    /// How many of them belong to the game before the root.
    n_before: usize,
}

impl Path {
    /// Starts at a game's current position.
    pub(crate) fn restart(&mut self, game: &Game) {
        self.hashes.clear();
        self.hashes.extend_from_slice(game.earlier_hashes());
        self.n_before = self.hashes.len();
    }

    /// Steps down from a position.
    #[inline]
    pub(crate) fn push(&mut self, hash: u64) {
        self.hashes.push(hash);
    }

    /// Steps back up.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.hashes.pop();
    }

    /// If the node with this hash is drawn by repetition: the ply of the earlier position that makes it
    /// so, -1 if that lies before the root.
    ///
    /// The rules ask for an occurrence of this number, mostly the third. One that would come about within
    /// the search is counted at the second: whoever avoids it then can avoid it now.
    #[inline]
    pub(crate) fn repetition(&self, hash: u64, no_progress: u32, times: u32) -> Option<i32> {
        // It takes four plies at least to come back, and the same side must be to move.
        if no_progress < 4 {
            return None;
        }
        let reach = (no_progress as usize).min(self.hashes.len());
        let first = self.hashes.len() - reach;
        let mut occurrence = 1;
        let mut index = self.hashes.len();
        while index >= first + 2 {
            index -= 2;
            if self.hashes[index] != hash {
                continue;
            }
            if index > self.n_before {
                return Some((index - self.n_before) as i32);
            }
            occurrence += 1;
            if occurrence >= times {
                return Some(-1);
            }
        }
        None
    }
}
