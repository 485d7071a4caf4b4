//! The positions that led to the current node, for repetition detection.

use rules::Game;

/// Hashes of the positions of the game, then of the current line, without the current node.
#[derive(Clone, Default)]
pub(crate) struct Path {
    pub(crate) hashes: Vec<u64>,
    /// The number of hashes from the game before the root.
    n_before: usize,
}

impl Path {
    /// Resets to the current position of a game.
    pub(crate) fn restart(&mut self, game: &Game) {
        self.hashes.clear();
        self.hashes.extend_from_slice(game.earlier_hashes());
        self.n_before = self.hashes.len();
    }

    /// If the node with this hash is drawn by repetition, the ply of the earlier occurrence; -1 if
    /// that lies before the root.
    ///
    /// The rules require a certain number of occurrences, usually three. A repetition within the
    /// search already counts at the second: a side that can avoid it later can avoid it now.
    #[inline]
    pub(crate) fn repetition(&self, hash: u64, no_progress: u32, times: u32) -> Option<i32> {
        // A repetition takes at least four plies, with the same side to move.
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
