//! Chooses the next meetings.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::record::Tournament;

/// Pairs of one pairing before the next one, so that in an interrupted tournament all pairings have
/// about the same number of games.
const PAIRS_PER_TURN: usize = 16;

/// Kinds of schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// All players meet each other.
    RoundRobin,
    /// The first player meets all others.
    Gauntlet,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RoundRobin => "round robin",
            Self::Gauntlet => "gauntlet",
        })
    }
}

impl Schedule {
    /// Plans the next meetings among the players numbered in `active`; false when the schedule is
    /// complete. Players that meet play `pairs` pairs.
    pub(super) fn plan(self, tournament: &mut Tournament, active: &[usize], pairs: usize) -> bool {
        let turn = next_turn(tournament, &self.pairings(active), pairs);
        for &Series { players, pairs } in &turn {
            tournament.plan(players, pairs);
        }
        !turn.is_empty()
    }

    /// The pairs of a complete tournament among `n_players`.
    pub fn total_pairs(self, n_players: usize, pairs: usize) -> usize {
        let players: Vec<usize> = (0..n_players).collect();
        pairs * self.pairings(&players).len()
    }

    /// The players that meet, in the order of `active`.
    fn pairings(self, active: &[usize]) -> Vec<[usize; 2]> {
        let n_first = match self {
            Self::RoundRobin => active.len(),
            Self::Gauntlet => 1,
        };
        let with_later =
            |(place, &a): (usize, &usize)| active[place + 1..].iter().map(move |&b| [a, b]);
        let first = active.iter().enumerate().take(n_first);
        first.flat_map(with_later).collect()
    }
}

/// Pairs of games that two players have yet to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Series {
    players: [usize; 2],
    pairs: usize,
}

/// The next pairs of the pairings that have played the fewest, until all have `pairs`.
fn next_turn(tournament: &Tournament, pairings: &[[usize; 2]], pairs: usize) -> Vec<Series> {
    let by_pairing = tournament.by_pairing(|meeting| meeting.pairs.len());
    let played = |&[a, b]: &[usize; 2]| {
        let known = by_pairing.get(&[a.min(b), a.max(b)]);
        known.copied().unwrap_or_default()
    };
    let fewest = pairings.iter().map(played).min().unwrap_or(pairs);
    let target = pairs.min((fewest / PAIRS_PER_TURN + 1) * PAIRS_PER_TURN);
    pairings
        .iter()
        .map(|pairing| Series {
            players: *pairing,
            pairs: target.saturating_sub(played(pairing)),
        })
        .filter(|series| series.pairs > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{PairRecord, Terms};
    use super::*;

    fn after(played: &[Series]) -> Tournament {
        let mut tournament = Tournament::new(Terms {
            variant: String::new(),
            rules_version: 0,
            seed: 1,
            thinking: String::new(),
            openings: String::new(),
            adjudication: String::new(),
        });
        for &Series { players, pairs } in played {
            tournament.plan(players, pairs);
            let record = PairRecord {
                half_points: [1, 1],
                digests: [String::new(), String::new()],
                forfeited: [false; 2],
            };
            let meeting = tournament.meetings.last_mut().expect("planned");
            meeting.pairs = vec![record; pairs];
        }
        tournament
    }

    #[test]
    fn pairings_continue_in_turns_of_sixteen_pairs() {
        let series = |players, pairs| Series { players, pairs };
        let pairings = [[0, 1], [2, 0], [1, 2]];
        let next = |played: &[_], pairs| next_turn(&after(played), &pairings, pairs);
        assert_eq!(next(&[], 10), pairings.map(|pairing| series(pairing, 10)));
        assert_eq!(next(&[], 40), pairings.map(|pairing| series(pairing, 16)));
        // The pairing with fewer games catches up first.
        let uneven = [series([0, 1], 16), series([0, 2], 15), series([1, 2], 30)];
        assert_eq!(next(&uneven, 40), [series([2, 0], 1)]);
        let even = [series([0, 1], 16), series([0, 2], 16), series([1, 2], 30)];
        assert_eq!(
            next(&even, 40),
            [series([0, 1], 16), series([2, 0], 16), series([1, 2], 2)]
        );
        assert_eq!(next(&even, 20), [series([0, 1], 4), series([2, 0], 4)]);
        assert_eq!(next(&even, 16), []);
        assert_eq!(next_turn(&after(&[]), &[], 5), []);
    }

    #[test]
    fn as_many_pairs_as_meetings() {
        for (schedule, totals) in [
            (Schedule::RoundRobin, [0, 0, 3, 9, 30]),
            (Schedule::Gauntlet, [0, 0, 3, 6, 12]),
        ] {
            let found = [0, 1, 2, 3, 5].map(|n| schedule.total_pairs(n, 3));
            assert_eq!(found, totals, "{schedule}");
        }
    }
}
