//! Finds repeated games in a match, which are no evidence.

use std::collections::HashSet;

use rules::Move;

use super::game::MatchGame;

/// The games seen so far.
#[derive(Default)]
pub(super) struct Duplicates {
    /// (who moved first, start position, all moves)
    seen: HashSet<(bool, u64, Vec<Move>)>,
}

impl Duplicates {
    /// Marks the games of a pair that were seen before, with the same side moving first.
    pub(super) fn mark(&mut self, games: &mut [MatchGame; 2]) {
        for game in games {
            let key = (
                game.swapped,
                game.opening.start.hash(),
                game.all_moves().collect(),
            );
            game.duplicate = !self.seen.insert(key);
        }
    }
}
