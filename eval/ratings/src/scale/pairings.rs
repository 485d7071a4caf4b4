//! Results by pairing, both colors together.

use std::collections::HashMap;

use crate::tally::Tallies;

/// Virtual draws of each player, spread over its opponents in proportion to games: half a point
/// each, which removes most of the bias of log odds (J. B. S. Haldane 1956), and keeps a perfect
/// score finite.
const VIRTUAL_DRAWS: f64 = 1.0;

/// All games between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pairing {
    /// Index of a player.
    pub(crate) a: usize,
    /// Index of the other player.
    pub(crate) b: usize,
    /// Games, with virtual draws.
    pub(crate) games: f64,
    /// Score of `a`, strictly between 0 and 1.
    pub(crate) score: f64,
    /// Games drawn, without virtual ones.
    pub(crate) draws: f64,
    /// Games without virtual ones.
    pub(crate) played: f64,
}

impl Pairing {
    /// Points of `a`, without virtual draws.
    pub(crate) fn points(&self) -> f64 {
        self.score * self.games - 0.5 * (self.games - self.played)
    }

    /// The same with `player` first; `None` if it is neither.
    pub(crate) fn seen_by(&self, player: usize) -> Option<Pairing> {
        match [self.a, self.b].map(|one| one == player) {
            [true, _] => Some(*self),
            [_, true] => Some(Pairing {
                a: self.b,
                b: self.a,
                score: 1.0 - self.score,
                ..*self
            }),
            _ => None,
        }
    }

    /// The pairings of a pool; `number` numbers its players.
    pub(crate) fn all(tallies: &Tallies, number: impl Fn(&str) -> usize) -> Vec<Pairing> {
        let mut met = tallies.by_pair(number);
        met.retain(|_, counts| counts.iter().sum::<u64>() > 0);
        let mut games_of: HashMap<usize, f64> = HashMap::new();
        for (&(a, b), counts) in &met {
            for player in [a, b] {
                *games_of.entry(player).or_default() += counts.iter().sum::<u64>() as f64;
            }
        }
        let pairing = |((a, b), counts): ((usize, usize), [u64; 3])| {
            let [wins, draws, losses] = counts.map(|count| count as f64);
            let played = wins + draws + losses;
            let share = |player: usize| played / games_of[&player];
            let games = played + VIRTUAL_DRAWS / 2.0 * (share(a) + share(b));
            Pairing {
                a,
                b,
                games,
                score: (wins + 0.5 * draws + 0.5 * (games - played)) / games,
                draws,
                played,
            }
        };
        met.into_iter().map(pairing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_colors_count_together_with_virtual_draws() {
        let mut tallies = Tallies::default();
        tallies.add_counts("a", "b", [3, 2, 1]);
        tallies.add_counts("b", "a", [1, 1, 4]);
        tallies.add_counts("c", "a", [2, 0, 4]);
        tallies.add_counts("c", "b", [0, 0, 0]);
        let number = |name: &str| usize::from(name.as_bytes()[0] - b'a');
        let found = Pairing::all(&tallies, number);
        // 12 of 18 parts of a's virtual draw belong to b, who has no other opponent: (12/18 + 1) /
        // 2.
        let of_b = Pairing {
            a: 0,
            b: 1,
            games: 12.0 + 5.0 / 6.0,
            score: (7.0 + 1.5 + 5.0 / 12.0) / (12.0 + 5.0 / 6.0),
            draws: 3.0,
            played: 12.0,
        };
        let of_c = Pairing {
            a: 0,
            b: 2,
            games: 6.0 + 2.0 / 3.0,
            score: (4.0 + 1.0 / 3.0) / (6.0 + 2.0 / 3.0),
            draws: 0.0,
            played: 6.0,
        };
        assert_eq!(found.len(), 2);
        for (found, expected) in found.iter().zip([of_b, of_c]) {
            assert_eq!((found.a, found.b), (expected.a, expected.b));
            assert!((found.games - expected.games).abs() < 1e-12, "{found:?}");
            assert!((found.score - expected.score).abs() < 1e-12, "{found:?}");
            assert_eq!(
                (found.draws, found.played),
                (expected.draws, expected.played)
            );
        }
        assert!((found[0].points() - 8.5).abs() < 1e-12);
    }

    #[test]
    fn each_side_sees_its_own_score() {
        let pairing = Pairing {
            a: 2,
            b: 5,
            games: 11.0,
            score: 0.75,
            draws: 4.0,
            played: 10.0,
        };
        let sides = |player| {
            let seen: Pairing = pairing.seen_by(player)?;
            Some((seen.a, seen.b, seen.score, seen.points()))
        };
        assert_eq!(sides(2), Some((2, 5, 0.75, 7.75)));
        assert_eq!(sides(5), Some((5, 2, 0.25, 2.25)));
        assert_eq!(sides(3), None);
        let other = pairing.seen_by(5).expect("it is the second");
        assert_eq!((other.games, other.draws, other.played), (11.0, 4.0, 10.0));
    }
}
