//! Results by pairing, both colours together.

use std::collections::{BTreeMap, HashMap};

use crate::ratings::Tallies;

/// Virtual draws of each player, spread over its opponents in proportion to games: half a point each way,
/// which takes away most of the bias of a logarithm of odds (J. B. S. Haldane 1956), and keeps a perfect
/// score finite.
const VIRTUAL_DRAWS: f64 = 1.0;

/// All games between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pairing {
    /// The number of a player.
    pub(crate) a: usize,
    /// The number of the other one.
    pub(crate) b: usize,
    /// Games, with virtual draws.
    pub(crate) games: f64,
    /// Share of the points that `a` took, 0 to 1 and neither.
    pub(crate) score: f64,
    /// Games drawn, without virtual ones.
    pub(crate) draws: f64,
    /// Games without virtual ones.
    pub(crate) played: f64,
}

impl Pairing {
    /// Points that `a` took, without those of virtual draws.
    pub(crate) fn points(&self) -> f64 {
        self.score * self.games - 0.5 * (self.games - self.played)
    }

    /// The pairings of a pool; `number` numbers its players.
    pub(crate) fn all(tallies: &Tallies, number: impl Fn(&str) -> usize) -> Vec<Pairing> {
        let mut sums: BTreeMap<(usize, usize), [f64; 3]> = BTreeMap::new();
        let mut games_of: HashMap<usize, f64> = HashMap::new();
        for tally in tallies.iter() {
            let (first, second) = (number(&tally.first), number(&tally.second));
            let [wins, draws, losses] =
                [tally.wins, tally.draws, tally.losses].map(|count| count as f64);
            let (pair, counts) = match first < second {
                true => ((first, second), [wins, draws, losses]),
                false => ((second, first), [losses, draws, wins]),
            };
            let sum = sums.entry(pair).or_default();
            *sum = std::array::from_fn(|i| sum[i] + counts[i]);
            for player in [first, second] {
                *games_of.entry(player).or_default() += wins + draws + losses;
            }
        }
        let played = sums
            .into_iter()
            .filter(|(_, counts)| counts.iter().sum::<f64>() > 0.0);
        let pairing = |((a, b), [wins, draws, losses]): ((usize, usize), [f64; 3])| {
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
        played.map(pairing).collect()
    }
}
