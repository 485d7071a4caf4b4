//! Which players meet next.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::record::Tournament;
use super::{informative, swiss};
use crate::error::EvalError;

/// Pairs of one pairing before the next one, so that in an interrupted tournament all pairings have
/// about equally many games.
const PAIRS_PER_TURN: usize = 16;

/// How meetings are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// All players meet each other.
    RoundRobin,
    /// The first player meets all others.
    Gauntlet,
    /// Rounds of meetings between neighbours in the standings that have not met yet (the Monrad system),
    /// as many as a knockout has.
    Swiss,
    /// As many pairs as in a round robin, spent where they are expected to shrink the rating intervals the
    /// most. It pays where strengths differ by hundreds of Elo; among equals it is as good as a round robin.
    Informative,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RoundRobin => "round robin",
            Self::Gauntlet => "gauntlet",
            Self::Swiss => "swiss",
            Self::Informative => "informative",
        })
    }
}

impl Schedule {
    /// Plans the next meetings among the players numbered in `active`; false when the schedule is
    /// complete. Players that meet play `pairs` pairs; the average, for [`Schedule::Informative`].
    pub(super) fn plan(
        self,
        tournament: &mut Tournament,
        active: &[usize],
        pairs: usize,
    ) -> Result<bool, EvalError> {
        let meetings = match self {
            Self::RoundRobin => in_turns(tournament, &pairings(active), pairs),
            Self::Gauntlet => {
                let first = active.first().copied();
                let against_first = pairings(active)
                    .into_iter()
                    .filter(|&[a, _]| Some(a) == first);
                in_turns(tournament, &against_first.collect::<Vec<_>>(), pairs)
            }
            Self::Swiss => swiss::round(tournament, active, pairs),
            Self::Informative => informative::round(tournament, active, pairs)?,
        };
        for &([a, b], pairs) in &meetings {
            tournament.plan(a, b, pairs);
        }
        Ok(!meetings.is_empty())
    }

    /// The pairs of a complete tournament among `n_players`.
    pub fn total_pairs(self, n_players: usize, pairs: usize) -> usize {
        let others = n_players.saturating_sub(1);
        pairs
            * match self {
                Self::RoundRobin | Self::Informative => n_players * others / 2,
                Self::Gauntlet => others,
                Self::Swiss => (n_players * swiss::rounds(n_players)).div_ceil(2),
            }
    }
}

/// All pairings of these players, in the order of `active`.
pub(super) fn pairings(active: &[usize]) -> Vec<[usize; 2]> {
    let with_later = |(place, &a): (usize, &usize)| {
        active[place + 1..]
            .iter()
            .map(move |&b| [a, b])
            .collect::<Vec<_>>()
    };
    active.iter().enumerate().flat_map(with_later).collect()
}

/// The next pairs of the pairings that have played the fewest, until all have `pairs`.
fn in_turns(
    tournament: &Tournament,
    pairings: &[[usize; 2]],
    pairs: usize,
) -> Vec<([usize; 2], usize)> {
    let by_pairing = tournament.pairs_by_pairing();
    let played = |&[a, b]: &[usize; 2]| {
        let known = by_pairing.get(&[a.min(b), a.max(b)]);
        known.copied().unwrap_or_default()
    };
    let fewest = pairings.iter().map(played).min().unwrap_or(pairs);
    let target = pairs.min((fewest / PAIRS_PER_TURN + 1) * PAIRS_PER_TURN);
    pairings
        .iter()
        .map(|pairing| (*pairing, target.saturating_sub(played(pairing))))
        .filter(|&(_, missing)| missing > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{PairRecord, Terms};
    use super::*;

    fn after(played: &[(usize, usize, usize)]) -> Tournament {
        let mut tournament = Tournament::new(Terms {
            variant: String::new(),
            rules_version: 0,
            seed: 1,
            thinking: String::new(),
            openings: String::new(),
            adjudication: String::new(),
        });
        for &(a, b, pairs) in played {
            tournament.plan(a, b, pairs);
            let record = PairRecord {
                half_points: [1, 1],
                digests: [String::new(), String::new()],
            };
            let meeting = tournament.meetings.last_mut().expect("planned");
            meeting.pairs = vec![record; pairs];
        }
        tournament
    }

    #[test]
    fn pairings_go_on_in_turns_of_sixteen_pairs() {
        let pairings = [[0, 1], [2, 0], [1, 2]];
        let next = |played: &[_], pairs| in_turns(&after(played), &pairings, pairs);
        assert_eq!(next(&[], 10), pairings.map(|pairing| (pairing, 10)));
        assert_eq!(next(&[], 40), pairings.map(|pairing| (pairing, 16)));
        // Who played less catches up first.
        let uneven = [(0, 1, 16), (0, 2, 15), (1, 2, 30)];
        assert_eq!(next(&uneven, 40), [([2, 0], 1)]);
        let even = [(0, 1, 16), (0, 2, 16), (1, 2, 30)];
        assert_eq!(next(&even, 40), [([0, 1], 16), ([2, 0], 16), ([1, 2], 2)]);
        assert_eq!(next(&even, 20), [([0, 1], 4), ([2, 0], 4)]);
        assert_eq!(next(&even, 16), []);
        assert_eq!(in_turns(&after(&[]), &[], 5), []);
    }

    #[test]
    fn as_many_pairs_as_meetings() {
        for (schedule, totals) in [
            (Schedule::RoundRobin, [0, 0, 3, 9, 30]),
            (Schedule::Informative, [0, 0, 3, 9, 30]),
            (Schedule::Gauntlet, [0, 0, 3, 6, 12]),
            (Schedule::Swiss, [0, 0, 3, 9, 24]),
        ] {
            let found = [0, 1, 2, 3, 5].map(|n| schedule.total_pairs(n, 3));
            assert_eq!(found, totals, "{schedule}");
        }
    }
}
