//! The weak prior: virtual draws in addition to the games.

use super::likelihood::WeightedTally;
use crate::tally::Tallies;

/// The games and `prior` virtual draws a player, spread over the opponents in proportion to games,
/// half with each color. They keep a perfect score finite and change little else.
pub(super) fn with_virtual_draws(tallies: &Tallies, prior: f64) -> Vec<WeightedTally> {
    let totals: Vec<f64> = tallies
        .totals()
        .iter()
        .map(|total| total.iter().sum::<u64>() as f64)
        .collect();
    let mut games = Vec::new();
    for ((first, second), counts) in tallies.counts() {
        games.push(WeightedTally {
            first,
            second,
            counts: counts.map(|n| n as f64),
        });
        let n_games: f64 = counts.iter().sum::<u64>() as f64;
        // Each player brings prior/2 draws, a quarter of the prior with each color.
        let draws = prior / 4.0 * (n_games / totals[first] + n_games / totals[second]);
        for (first, second) in [(first, second), (second, first)] {
            games.push(WeightedTally {
                first,
                second,
                counts: [0.0, draws, 0.0],
            });
        }
    }
    games
}
