//! Game results counted by who moved first: all that ratings need to know about games.

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
        let pair = (self.player(&tally.first), self.player(&tally.second));
        let counts = self.counts.entry(pair).or_default();
        for (count, more) in counts
            .iter_mut()
            .zip([tally.wins, tally.draws, tally.losses])
        {
            *count += more;
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
    pub(super) fn counts(&self) -> impl Iterator<Item = ((usize, usize), [u64; 3])> {
        self.counts.iter().map(|(&pair, &counts)| (pair, counts))
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
