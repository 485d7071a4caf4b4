//! How many plies a won position still takes.
//!
//! A database has results without distances. They follow from it by a search that looks at moves of the winner
//! only where they keep the win, one ply deeper at a time, and remembers every position it has seen.

use std::collections::HashMap;

use rules::Position;

use crate::{Database, GameValue};

/// More plies than any win takes.
const MOST_PLIES: u16 = 400;

/// Distances of positions, as they are asked for. Plies without progress are left out, as in the database.
pub struct Distances<'a> {
    database: &'a Database,
    /// By hash: what is known of a position.
    known: HashMap<u64, Known>,
    /// Positions that may still be looked at.
    budget: usize,
}

/// The plies of a game's end from a position.
#[derive(Clone, Copy)]
struct Known {
    /// It does not end in fewer.
    least: u16,
    /// It ends within so many.
    most: u16,
}

/// The search has looked at as many positions as it may.
struct Exhausted;

impl<'a> Distances<'a> {
    /// Distances by a database, for which up to `budget` positions are looked at, all questions together.
    pub fn new(database: &'a Database, budget: usize) -> Distances<'a> {
        Distances {
            database,
            known: HashMap::new(),
            budget,
        }
    }

    /// The plies until the end of a game that one side wins, when the winner ends it as early as he can and
    /// the loser as late. Nothing for draws, for what is not in the database, and when the budget is used up.
    pub fn plies(&mut self, position: &Position) -> Option<u16> {
        let is_won = match self.database.probe(position)? {
            GameValue::Draw => return None,
            value => value == GameValue::Win,
        };
        let ends =
            (0..MOST_PLIES).find_map(|plies| match self.ends_within(position, plies, is_won) {
                Ok(true) => Some(Ok(plies)),
                Ok(false) => None,
                Err(Exhausted) => Some(Err(Exhausted)),
            });
        ends?.ok()
    }

    fn ends_within(
        &mut self,
        position: &Position,
        plies: u16,
        is_winner: bool,
    ) -> Result<bool, Exhausted> {
        let unknown = Known {
            least: 0,
            most: u16::MAX,
        };
        let hash = position.hash();
        let known = *self.known.get(&hash).unwrap_or(&unknown);
        if plies >= known.most || plies < known.least {
            return Ok(plies >= known.most);
        }
        self.budget = self.budget.checked_sub(1).ok_or(Exhausted)?;
        let ends = self.looks_like_it(position, plies, is_winner)?;
        let known = self.known.entry(hash).or_insert(unknown);
        match ends {
            true => known.most = plies,
            false => known.least = plies + 1,
        }
        Ok(ends)
    }

    fn looks_like_it(
        &mut self,
        position: &Position,
        plies: u16,
        is_winner: bool,
    ) -> Result<bool, Exhausted> {
        let moves = position.legal_moves();
        if moves.is_empty() || plies == 0 {
            return Ok(moves.is_empty());
        }
        for mv in &moves {
            let next = position.play(*mv);
            if is_winner && self.database.probe(&next) != Some(GameValue::Loss) {
                continue;
            }
            if self.ends_within(&next, plies - 1, !is_winner)? == is_winner {
                return Ok(is_winner);
            }
        }
        Ok(!is_winner)
    }
}
