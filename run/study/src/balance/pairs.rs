//! Two games, compared pair by pair.

use ratings::Estimate;
use serde::Serialize;

use super::trace::StudiedGame;

/// The second game minus the first at a level. Games of the same number draw their first moves with
/// the same random numbers. So they are alike until the rules differ, and a difference is more
/// certain than the two intervals say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The name of the level.
    pub level: String,
    /// Pairs of finished games.
    pub pairs: u64,
    /// Pairs with the same moves.
    pub same: u64,
    /// Of the score of the side that moves first.
    pub score: Option<Estimate>,
    /// Of the share of draws.
    pub draws: Option<Estimate>,
    /// Of the length in plies.
    pub plies: Option<Estimate>,
}

/// Compares games of the same numbers.
pub(super) fn difference(level: String, pairs: [&[StudiedGame]; 2]) -> Difference {
    let [first, second] = pairs;
    let (mut values, mut same) = ([const { Vec::new() }; 3], 0);
    for (first, second) in first.iter().zip(second) {
        let (Some(before), Some(after)) = (facts(first), facts(second)) else {
            continue;
        };
        same += u64::from(first.game.moves() == second.game.moves());
        for (index, values) in values.iter_mut().enumerate() {
            values.push(after[index] - before[index]);
        }
    }
    let pairs = values[0].len() as u64;
    let [score, draws, plies] = values.map(|values| Estimate::mean(&values));
    Difference {
        level,
        pairs,
        same,
        score,
        draws,
        plies,
    }
}

/// The score of the side that moved first, 1 for a draw, and the plies of a finished game.
fn facts(studied: &StudiedGame) -> Option<[f64; 3]> {
    let points = studied.result?.half_points(studied.game.start().turn());
    let is_draw = f64::from(u8::from(points == 1));
    let plies = studied.game.moves().len() as f64;
    Some([f64::from(points) / 2.0, is_draw, plies])
}
