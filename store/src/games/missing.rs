//! Finished games of a run that are missing.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::record::GameId;

/// The finished games of a run, whether their files still exist or not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FinishedGames {
    /// Number of games in each generation whose self-play is complete, from generation 1 on. Games
    /// of a later generation are written in any order.
    pub games: Vec<u32>,
}

/// The missing games of a finished generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingGames {
    /// The generation.
    pub generation: u32,
    /// Their numbers, ascending.
    pub numbers: Vec<RangeInclusive<u32>>,
}

impl MissingGames {
    /// The number of games.
    pub fn n_games(&self) -> usize {
        self.numbers.iter().map(|range| range.clone().count()).sum()
    }
}

impl FinishedGames {
    /// The games that are not in `there`.
    pub(super) fn missing(&self, there: &HashSet<GameId>) -> Vec<MissingGames> {
        let of_generation = |(generation, &games): (u32, &u32)| MissingGames {
            generation,
            numbers: ranges((0..games).filter(|&number| {
                let id = GameId { generation, number };
                !there.contains(&id)
            })),
        };
        let generations = (1..).zip(&self.games).map(of_generation);
        generations
            .filter(|missing| !missing.numbers.is_empty())
            .collect()
    }
}

/// Ascending numbers as ranges without gaps.
fn ranges(numbers: impl Iterator<Item = u32>) -> Vec<RangeInclusive<u32>> {
    let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if *last.end() + 1 == number => *last = *last.start()..=number,
            _ => ranges.push(number..=number),
        }
    }
    ranges
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
        assert_eq!((numbers(0), missing[0].n_games()), (vec![1..=2, 5..=5], 3));
        assert_eq!((numbers(1), missing[1].n_games()), (vec![0..=2], 3));
        assert_eq!(FinishedGames::default().missing(&HashSet::new()), []);
    }
}
