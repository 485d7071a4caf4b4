//! The choice of a move.

use rules::Position;
use types::{Seed, draw};

use crate::{Book, FoundMove, UNIT};

/// Drawn games that are added to each move, so that few games weigh little.
const PRIOR_GAMES: f64 = 10.0;

/// The chance of moves other than the best one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variety {
    /// The largest loss of a move that may be played, as a share of a point; each such move is as
    /// likely as another.
    pub margin: f32,
}

/// A move chosen from a book.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// The move.
    pub found: FoundMove,
    /// Its rank among the moves of the position, from 0.
    pub rank: usize,
}

impl Book {
    /// The move to play; `None` out of the book. It depends only on the position, the variety and
    /// the seed: the one with the best value, or without values with the best results.
    pub fn choose(&self, position: &Position, variety: Variety, seed: Seed) -> Option<Chosen> {
        let moves = self.moves(position);
        let best = rating(moves.first()?);
        let near = |found: &&FoundMove| rating(found) >= best - f64::from(variety.margin);
        let n_near = moves.iter().take_while(near).count();
        let rank = match n_near {
            0 | 1 => 0,
            n => draw(&vec![0.0; n], 1.0, seed.derive("book", &[])),
        };
        let found = *moves.get(rank)?;
        Some(Chosen { found, rank })
    }
}

/// Sorts moves, the best first: by value, those without one after all others by their results.
pub(crate) fn sort(moves: &mut [FoundMove]) {
    // The sort is stable: canonical order decides among equals.
    moves.sort_by(|a, b| {
        let (values, results) = (b.value.cmp(&a.value), rating(b).total_cmp(&rating(a)));
        let games = b.tally.games().cmp(&a.tally.games());
        values.then(results).then(games)
    });
}

/// The expected score of a move, from 0 to 1: by its value, otherwise by its results.
fn rating(found: &FoundMove) -> f64 {
    if let Some(value) = found.value {
        return (1.0 + f64::from(value) / f64::from(UNIT)) / 2.0;
    }
    let tally = &found.tally;
    let points = f64::from(tally.wins) + 0.5 * f64::from(tally.draws);
    let finished = f64::from(tally.wins) + f64::from(tally.draws) + f64::from(tally.losses);
    (points + PRIOR_GAMES / 2.0) / (finished + PRIOR_GAMES)
}
