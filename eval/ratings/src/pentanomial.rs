//! Results of pairs of games: the five scores that one opening, played with both colors, can give.

use serde::{Deserialize, Serialize};

/// Numbers of pairs that gave the first player 0, ½, 1, 1½ and 2 points.
///
/// Pairs, not games, are the independent trials: an opening that favors one color shifts its two
/// games in opposite directions, which cancels in the pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts a pair that gave the first player `half_points` half points (0 to 4).
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// The sum of these pairs and others.
    #[must_use]
    pub fn plus(&self, other: &Pentanomial) -> Pentanomial {
        Pentanomial(std::array::from_fn(|cell| self.0[cell] + other.0[cell]))
    }

    /// The same pairs from the other player's point of view.
    #[must_use]
    pub fn reversed(&self) -> Pentanomial {
        let mut cells = self.0;
        cells.reverse();
        Pentanomial(cells)
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean score of the first player per game, from 0 to 1; one half when there are no pairs.
    pub fn score(&self) -> f64 {
        match self.pairs() {
            0 => 0.5,
            n => {
                self.weighted()
                    .map(|(score, count)| score * count)
                    .sum::<f64>()
                    / n as f64
            }
        }
    }

    /// Variance of a pair's mean score, with half a pair added to each cell, so that a few equal
    /// results do not look like certainty.
    pub fn variance(&self) -> f64 {
        let total = self.pairs() as f64 + 2.5;
        let mean = self.weighted().map(|(x, n)| x * (n + 0.5)).sum::<f64>() / total;
        self.weighted()
            .map(|(x, n)| {
                let off = x - mean;
                off * off * (n + 0.5)
            })
            .sum::<f64>()
            / total
    }

    /// (mean score of the pair, number of such pairs) for the five cells.
    fn weighted(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0
            .iter()
            .enumerate()
            .map(|(i, &n)| (i as f64 / 4.0, n as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_and_variance_by_hand() {
        let pairs = Pentanomial([1, 0, 2, 0, 1]);
        assert_eq!(pairs.pairs(), 4);
        assert_eq!(pairs.score(), 0.5);
        // Counts with a half added: 1.5, 0.5, 2.5, 0.5, 1.5; mean 0.5 by symmetry.
        let by_hand = (2.0 * 1.5 * 0.25 + 2.0 * 0.5 * 0.0625) / 6.5;
        assert!((pairs.variance() - by_hand).abs() < 1e-12);
        let more = pairs.plus(&Pentanomial([0, 1, 0, 0, 3]));
        assert_eq!(more.reversed(), Pentanomial([4, 0, 2, 1, 1]));
    }

    #[test]
    fn no_pairs_say_nothing() {
        let none = Pentanomial::default();
        assert_eq!(none.score(), 0.5);
        assert!(none.variance() > 0.0);
    }
}
