//! Distances to the end of won positions.
//!
//! A database stores results without distances. A search recovers them by iterative deepening: it
//! considers only moves of the winner that keep the win, and caches every position.

use std::collections::HashMap;

use rules::Position;

use crate::{Database, GameValue};

/// More plies than any win takes.
const MOST_PLIES: u16 = 400;

/// A cache of distances. Plies without progress are ignored, as in the database.
pub struct Distances<'a> {
    database: &'a Database,
    /// [position hash] bounds on the distance.
    known: HashMap<u64, Known>,
    /// The number of positions that may still be searched.
    budget: usize,
}

/// Bounds on the number of plies to the end of the game.
#[derive(Clone, Copy)]
struct Known {
    /// The lower bound.
    least: u16,
    /// The upper bound.
    most: u16,
}

impl<'a> Distances<'a> {
    /// Creates an empty cache; all later calls together search at most `budget` positions.
    pub fn new(database: &'a Database, budget: usize) -> Distances<'a> {
        Distances {
            database,
            known: HashMap::new(),
            budget,
        }
    }

    /// The number of plies to the end of a decided game when the winner plays the fastest and the
    /// loser the slowest line. `None` for draws, for positions not in the database, and when the
    /// budget is used up.
    pub fn plies(&mut self, position: &Position) -> Option<u16> {
        let is_won = match self.database.probe(position)? {
            GameValue::Draw => return None,
            value => value == GameValue::Win,
        };
        for plies in 0..MOST_PLIES {
            if self.ends_within(position, plies, is_won)? {
                return Some(plies);
            }
        }
        None
    }

    /// True if the game ends within this number of plies; `None` when the budget is used up.
    fn ends_within(&mut self, position: &Position, plies: u16, is_winner: bool) -> Option<bool> {
        let unknown = Known {
            least: 0,
            most: u16::MAX,
        };
        let hash = position.hash();
        let known = *self.known.get(&hash).unwrap_or(&unknown);
        if plies >= known.most || plies < known.least {
            return Some(plies >= known.most);
        }
        self.budget = self.budget.checked_sub(1)?;
        let ends = self.looks_like_it(position, plies, is_winner)?;
        let known = self.known.entry(hash).or_insert(unknown);
        match ends {
            true => known.most = plies,
            false => known.least = plies + 1,
        }
        Some(ends)
    }

    fn looks_like_it(&mut self, position: &Position, plies: u16, is_winner: bool) -> Option<bool> {
        let moves = position.legal_moves();
        if moves.is_empty() || plies == 0 {
            return Some(moves.is_empty());
        }
        for mv in &moves {
            let next = position.play(*mv);
            if is_winner && self.database.probe(&next) != Some(GameValue::Loss) {
                continue;
            }
            if self.ends_within(&next, plies - 1, !is_winner)? == is_winner {
                return Some(is_winner);
            }
        }
        Some(!is_winner)
    }
}
