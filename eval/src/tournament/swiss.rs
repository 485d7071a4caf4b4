//! Swiss rounds: neighbours in the standings meet, without repeated meetings as long as possible.

use std::collections::HashMap;

use super::record::Tournament;

/// Limit on the steps of the search for a round without repeated meetings.
const MAX_STEPS: usize = 100_000;

/// Opponents of each player in the end: as many as a knockout has rounds.
pub(super) fn rounds(n_players: usize) -> usize {
    n_players.next_power_of_two().ilog2() as usize
}

/// The meetings of the next round; none when all players have had enough opponents.
pub(super) fn round(
    tournament: &Tournament,
    active: &[usize],
    pairs: usize,
) -> Vec<([usize; 2], usize)> {
    let meetings = |player: usize| {
        let takes_part = |pairing: &[usize; 2]| pairing.contains(&player);
        tournament
            .meetings
            .iter()
            .filter(|m| takes_part(&m.players))
            .count()
    };
    let (mut waiting, mut content): (Vec<usize>, Vec<usize>) = standings(tournament, active)
        .into_iter()
        .partition(|&player| meetings(player) < rounds(active.len()));
    if waiting.len() % 2 == 1 {
        // A player that has had enough opponents fills in; if there is none, the lowest in the
        // standings among those with the most meetings gets a bye.
        content.sort_by_key(|&player| meetings(player));
        if let Some(&helper) = content.first() {
            waiting.push(helper);
        } else {
            let most = waiting.iter().copied().map(meetings).max();
            let resting = waiting
                .iter()
                .rposition(|&player| Some(meetings(player)) == most);
            resting.map(|place| waiting.remove(place));
        }
    }
    let mut times_met: HashMap<[usize; 2], usize> = HashMap::new();
    for meeting in &tournament.meetings {
        *times_met.entry(meeting.players).or_default() += 1;
    }
    let round = neighbours(&waiting, &times_met);
    round.into_iter().map(|pairing| (pairing, pairs)).collect()
}

/// Divides an even number of players into pairings: each meets the nearest player it has met least
/// often, such that the largest number of earlier meetings in the round is minimal.
fn neighbours(order: &[usize], times_met: &HashMap<[usize; 2], usize>) -> Vec<[usize; 2]> {
    let most = times_met.values().copied().max().unwrap_or_default();
    (0..=most)
        .find_map(|limit| {
            let mut search = PairingSearch {
                times_met,
                limit,
                steps_left: MAX_STEPS,
            };
            search.divide(order)
        })
        .unwrap_or_default()
}

/// A search for pairings that have met at most `limit` times.
struct PairingSearch<'a> {
    times_met: &'a HashMap<[usize; 2], usize>,
    limit: usize,
    steps_left: usize,
}

impl PairingSearch<'_> {
    fn divide(&mut self, order: &[usize]) -> Option<Vec<[usize; 2]>> {
        let Some((&first, others)) = order.split_first() else {
            return Some(Vec::new());
        };
        for (place, &opponent) in others.iter().enumerate() {
            self.steps_left = self.steps_left.checked_sub(1)?;
            let pairing = [first.min(opponent), first.max(opponent)];
            if self.times_met.get(&pairing).copied().unwrap_or_default() > self.limit {
                continue;
            }
            let rest = [&others[..place], &others[place + 1..]].concat();
            if let Some(mut round) = self.divide(&rest) {
                round.insert(0, pairing);
                return Some(round);
            }
        }
        None
    }
}

/// Players by their share of the points, highest first; among equals by the order of entry.
fn standings(tournament: &Tournament, active: &[usize]) -> Vec<usize> {
    let mut points: HashMap<usize, [u64; 2]> = HashMap::new();
    for meeting in &tournament.meetings {
        for pair in &meeting.pairs {
            let of_first: u64 = pair.half_points.iter().copied().map(u64::from).sum();
            for (player, half_points) in meeting.players.into_iter().zip([of_first, 4 - of_first]) {
                let [won, possible] = points.entry(player).or_default();
                (*won, *possible) = (*won + half_points, *possible + 4);
            }
        }
    }
    let share = |player: &usize| match points.get(player) {
        Some(&[won, possible]) => won as f64 / possible as f64,
        None => 0.5,
    };
    let mut order = active.to_vec();
    order.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.cmp(b)));
    order
}

#[cfg(test)]
mod tests {
    use super::super::record::{PairRecord, Terms};
    use super::*;

    fn tournament(n_players: usize) -> Tournament {
        let mut tournament = Tournament::new(Terms {
            variant: String::new(),
            rules_version: 1,
            seed: 1,
            thinking: String::new(),
            openings: String::new(),
            adjudication: String::new(),
        });
        tournament.players = (0..n_players).map(|player| player.to_string()).collect();
        tournament
    }

    /// Plays a round in which the smaller number wins everything; returns the pairings.
    fn play_round(tournament: &mut Tournament, active: &[usize]) -> Vec<[usize; 2]> {
        let round = round(tournament, active, 1);
        for &([a, b], pairs) in &round {
            tournament.plan(a, b, pairs);
            let meeting = tournament.meetings.last_mut().unwrap();
            meeting.pairs.push(PairRecord {
                half_points: [2, 2],
                digests: [String::new(), String::new()],
            });
        }
        round.into_iter().map(|(pairing, _)| pairing).collect()
    }

    #[test]
    fn winners_meet_winners_and_nobody_meets_twice() {
        let mut tournament = tournament(8);
        let all: Vec<usize> = (0..8).collect();
        let first = play_round(&mut tournament, &all);
        assert_eq!(first, [[0, 1], [2, 3], [4, 5], [6, 7]]);
        let second = play_round(&mut tournament, &all);
        assert_eq!(second, [[0, 2], [4, 6], [1, 3], [5, 7]]);
        let third = play_round(&mut tournament, &all);
        assert_eq!(third, [[0, 4], [1, 2], [5, 6], [3, 7]]);
        assert_eq!(play_round(&mut tournament, &all), [[0; 2]; 0]);
    }

    #[test]
    fn an_odd_number_rests_in_turn_and_all_get_their_rounds() {
        for n in 2..=11 {
            let mut tournament = tournament(n);
            let all: Vec<usize> = (0..n).collect();
            let mut met = Vec::new();
            for _ in 0..20 {
                met.extend(play_round(&mut tournament, &all));
            }
            for player in all {
                let meetings = met
                    .iter()
                    .filter(|pairing| pairing.contains(&player))
                    .count();
                let spare = meetings - rounds(n);
                assert!(spare <= 1, "{n} {player} {meetings}");
            }
        }
    }

    #[test]
    fn equals_meet_somebody_else_in_the_next_round() {
        let mut tournament = tournament(4);
        for expected in [[[0, 1], [2, 3]], [[0, 2], [1, 3]]] {
            let round = round(&tournament, &[0, 1, 2, 3], 1);
            let pairings: Vec<_> = round.iter().map(|part| part.0).collect();
            assert_eq!(pairings, expected);
            for ([a, b], pairs) in round {
                tournament.plan(a, b, pairs);
                tournament
                    .meetings
                    .last_mut()
                    .unwrap()
                    .pairs
                    .push(PairRecord {
                        half_points: [1, 1],
                        digests: [String::new(), String::new()],
                    });
            }
        }
    }

    #[test]
    fn who_comes_later_catches_up() {
        let mut tournament = tournament(4);
        while !play_round(&mut tournament, &[0, 1, 2, 3]).is_empty() {}
        let late = tournament.enter("late");
        while !play_round(&mut tournament, &[0, 1, 2, 3, late]).is_empty() {}
        let meetings = tournament.meetings.iter();
        assert_eq!(
            meetings.filter(|m| m.players.contains(&late)).count(),
            rounds(5)
        );
    }

    #[test]
    fn standings_go_by_the_share_of_points() {
        let mut tournament = tournament(5);
        for (players, half_points) in [
            ([0, 1], [[2, 1], [0, 0]].as_slice()),
            ([1, 2], &[[1, 1]]),
            ([2, 3], &[[2, 2]]),
        ] {
            tournament.plan(players[0], players[1], half_points.len());
            let meeting = tournament.meetings.last_mut().unwrap();
            meeting
                .pairs
                .extend(half_points.iter().map(|&half_points| PairRecord {
                    half_points,
                    digests: [String::new(), String::new()],
                }));
        }
        // 3/8, 7/12, 6/8, 0/4, and one half without games.
        assert_eq!(standings(&tournament, &[0, 1, 2, 3, 4]), [2, 1, 4, 0, 3]);
        assert_eq!(standings(&tournament, &[3, 0, 1]), [1, 0, 3]);
    }

    #[test]
    fn who_must_meet_again_meets_whom_it_met_least() {
        let met = HashMap::from([
            ([0, 1], 2),
            ([0, 2], 1),
            ([0, 3], 1),
            ([2, 3], 1),
            ([1, 2], 1),
        ]);
        assert_eq!(neighbours(&[0, 1, 2, 3], &met), [[0, 2], [1, 3]]);
        assert_eq!(neighbours(&[3, 2, 1, 0], &met), [[1, 3], [0, 2]]);
        let met_once = HashMap::from([([0, 1], 1)]);
        assert_eq!(neighbours(&[1, 0], &met_once), [[0, 1]]);
        assert_eq!(neighbours(&[0, 1, 2, 3], &met_once), [[0, 2], [1, 3]]);
        let nobody: [[usize; 2]; 0] = [];
        assert_eq!(neighbours(&[], &met_once), nobody);
    }

    /// The search gives up a limit that would take too long, and finds a round with repeated meetings.
    #[test]
    fn a_round_is_found_among_many_who_met_nearly_all() {
        let n = 40;
        let mut met = HashMap::new();
        // The last two have met everybody, the others nobody.
        for player in 0..n - 2 {
            met.insert([player, n - 2], 1);
            met.insert([player, n - 1], 1);
        }
        met.insert([n - 2, n - 1], 1);
        let order: Vec<usize> = (0..n).collect();
        let round = neighbours(&order, &met);
        let mut players: Vec<usize> = round.into_iter().flatten().collect();
        players.sort_unstable();
        assert_eq!(players, order);
    }
}
