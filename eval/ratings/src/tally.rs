//! Game results by first mover: everything that ratings need to know about games.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

/// Results of the games in which `first` made the first move against `second`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// The player who moved first.
    pub first: String,
    /// The player who moved second.
    pub second: String,
    /// Games that `first` won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that `first` lost.
    pub losses: u64,
}

/// Results of a pool of players, counted as games arrive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Tally>", into = "Vec<Tally>")]
pub struct Tallies {
    names: Vec<String>,
    index: HashMap<String, usize>,
    /// (first, second) -> wins, draws, losses of the first.
    counts: BTreeMap<(usize, usize), [u64; 3]>,
}

impl Tallies {
    /// Adds games; players are numbered in the order of their first appearance.
    pub fn add(&mut self, tally: &Tally) {
        let counts = [tally.wins, tally.draws, tally.losses];
        self.add_counts(&tally.first, &tally.second, counts);
    }

    /// Adds games by names and the first player's wins, draws and losses.
    pub fn add_counts(&mut self, first: &str, second: &str, counts: [u64; 3]) {
        let pair = (self.player(first), self.player(second));
        let sums = self.counts.entry(pair).or_default();
        for (sum, more) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(more);
        }
    }

    /// Adds all games of another pool.
    pub fn extend(&mut self, other: &Tallies) {
        other.iter().for_each(|tally| self.add(&tally));
    }

    /// The players' names by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All tallies, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Tally> {
        self.counts
            .iter()
            .map(|(&(first, second), &[wins, draws, losses])| Tally {
                first: self.names[first].clone(),
                second: self.names[second].clone(),
                wins,
                draws,
                losses,
            })
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.counts.values().flatten().sum()
    }

    /// (first, second) and the first's wins, draws and losses, by player number.
    pub(crate) fn counts(&self) -> impl Iterator<Item = ((usize, usize), [u64; 3])> {
        self.counts.iter().map(|(&pair, &counts)| (pair, counts))
    }

    /// {(a, b): wins, draws and losses of `a`}, both colors together and the smaller number first;
    /// `number` numbers the players.
    pub(crate) fn by_pair(
        &self,
        number: impl Fn(&str) -> usize,
    ) -> BTreeMap<(usize, usize), [u64; 3]> {
        let mut pairs: BTreeMap<(usize, usize), [u64; 3]> = BTreeMap::new();
        for (&(first, second), counts) in &self.counts {
            let [first, second] = [first, second].map(|player| number(&self.names[player]));
            let (a, b) = (first.min(second), first.max(second));
            let mut counts = *counts;
            if a == second {
                counts.reverse();
            }
            let sums = pairs.entry((a, b)).or_default();
            *sums = std::array::from_fn(|i| sums[i] + counts[i]);
        }
        pairs
    }

    /// [player] wins, draws and losses over all games.
    pub(crate) fn totals(&self) -> Vec<[u64; 3]> {
        let mut totals = vec![[0; 3]; self.names.len()];
        for (&(first, second), &[wins, draws, losses]) in &self.counts {
            for (player, counts) in [
                (first, [wins, draws, losses]),
                (second, [losses, draws, wins]),
            ] {
                let sums = totals[player].iter_mut().zip(counts);
                sums.for_each(|(sum, more)| *sum += more);
            }
        }
        totals
    }

    fn player(&mut self, name: &str) -> usize {
        if let Some(&player) = self.index.get(name) {
            return player;
        }
        let player = self.names.len();
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), player);
        player
    }
}

impl From<Vec<Tally>> for Tallies {
    fn from(list: Vec<Tally>) -> Self {
        let mut tallies = Self::default();
        list.iter().for_each(|tally| tallies.add(tally));
        tallies
    }
}

impl From<Tallies> for Vec<Tally> {
    fn from(tallies: Tallies) -> Self {
        tallies.iter().collect()
    }
}
