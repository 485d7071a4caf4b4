//! The choice of a move.

use rules::Position;
use types::{Seed, draw};

use crate::{Book, FoundMove, UNIT};

/// Drawn games that are added to each move, so that few games weigh little.
const PRIOR_GAMES: f64 = 10.0;

impl Book {
    /// The move to play; `None` out of the book. It depends only on the position, the margin and
    /// the seed. Any move may be played that loses at most `margin`, a share of a point, against
    /// the one with the best value, or without values with the best results; each is as likely as
    /// another.
    pub fn choose(&self, position: &Position, margin: f32, seed: Seed) -> Option<FoundMove> {
        let moves = self.moves(position);
        let best = rating(moves.first()?);
        let near = |found: &&FoundMove| rating(found) >= best - f64::from(margin);
        let n_near = moves.iter().take_while(near).count();
        let rank = draw(&vec![0.0; n_near], 1.0, seed.derive("book", &[]));
        moves.get(rank).copied()
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
    let (points, finished) = found.tally.points();
    (points + PRIOR_GAMES / 2.0) / (finished + PRIOR_GAMES)
}
