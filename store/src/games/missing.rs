//! Finished games of a run that are missing.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use crate::record::GameId;

/// Maximum number of ranges of missing games listed per generation.
const SHOWN: usize = 8;

/// The finished games of a run, whether their files still exist or not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FinishedGames {
    /// Number of games in each generation whose self-play is complete, from generation 1 on. Games
    /// of a later generation are written in any order.
    pub games: Vec<u32>,
}

/// The missing games of a finished generation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MissingGames {
    /// The generation.
    pub generation: u32,
    /// The number of games.
    pub games: usize,
    /// First and last number of each range, ascending.
    pub numbers: Vec<[u32; 2]>,
}

impl fmt::Display for MissingGames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stretch = |ends: &[u32; 2]| match ends {
            [first, last] if first == last => first.to_string(),
            [first, last] => format!("{first} to {last}"),
        };
        let stretches: Vec<_> = self.numbers.iter().take(SHOWN).map(stretch).collect();
        let others = if self.numbers.len() > SHOWN {
            " and others"
        } else {
            ""
        };
        write!(
            f,
            "generation {}: {} games are missing: {}{others}",
            self.generation,
            self.games,
            stretches.join(", ")
        )
    }
}

impl FinishedGames {
    /// The games that are not in `there`.
    pub(super) fn missing(&self, there: &HashSet<GameId>) -> Vec<MissingGames> {
        let of_generation = |(generation, &games): (u32, &u32)| {
            let is_missing = |&number: &u32| !there.contains(&GameId { generation, number });
            let numbers: Vec<u32> = (0..games).filter(is_missing).collect();
            let ranges = numbers.chunk_by(|before, after| before + 1 == *after);
            MissingGames {
                generation,
                games: numbers.len(),
                numbers: ranges
                    .map(|range| [range[0], range[range.len() - 1]])
                    .collect(),
            }
        };
        let generations = (1..).zip(&self.games).map(of_generation);
        generations.filter(|missing| missing.games > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_finished_generations_are_missed() {
        let finished = FinishedGames { games: vec![6, 3] };
        let there = [0, 3, 4, 7].map(|number| GameId {
            generation: 1,
            number,
        });
        let missing = finished.missing(&HashSet::from(there));
        let numbers = |index: usize| missing[index].numbers.clone();
        assert_eq!((missing.len(), missing[0].generation), (2, 1));
        assert_eq!((numbers(0), missing[0].games), (vec![[1, 2], [5, 5]], 3));
        assert_eq!((numbers(1), missing[1].games), (vec![[0, 2]], 3));
        assert_eq!(FinishedGames::default().missing(&HashSet::new()), []);
    }
}
