//! The positions on the way to the current node, for the repetition rule.

use rules::{Game, Position};

/// Hashes of the positions of the game, then of the line that is searched; the node itself is not
/// among them.
#[derive(Default)]
pub(super) struct Path {
    hashes: Vec<u64>,
}

impl Path {
    /// Starts at a game's current position.
    pub(super) fn restart(&mut self, game: &Game) {
        self.hashes.clear();
        self.hashes.extend_from_slice(game.earlier_hashes());
    }

    /// Steps down from `position`.
    pub(super) fn push(&mut self, position: &Position) {
        self.hashes.push(position.hash());
    }

    /// Steps back up.
    pub(super) fn pop(&mut self) {
        self.hashes.pop();
    }

    /// Earlier occurrences of `position`, the node itself. Only positions since the last
    /// irreversible move can equal it, and only those with the same side to move.
    pub(super) fn repetitions(&self, position: &Position) -> u32 {
        let reach = (position.no_progress() as usize).min(self.hashes.len());
        let recent = &self.hashes[self.hashes.len() - reach..];
        let same_side = recent.iter().rev().skip(1).step_by(2);
        same_side.filter(|&&hash| hash == position.hash()).count() as u32
    }
}
