//! Meetings where they shrink the rating intervals the most.
//!
//! With Σ the joint covariance of all ratings, a game between a and b brings Fisher information i
//! about their difference, and turns Σ into Σ - i·w·wᵀ / (1 + i·(w_a - w_b)), where w is column a
//! less column b of Σ (the Sherman-Morrison formula). Ratings count relative to their mean, so that
//! the variances summed over all players fall by i·|w - mean(w)|² / (1 + i·(w_a - w_b)). The advantage
//! of the first move and the draw Elo are taken as known.
//!
//! Where everybody scores, and strengths differ by hundreds of Elo, the variances after the games are 0.7 to
//! 0.9 of those after a round robin. A player that loses every game is different: its variance is that of the prior's virtual draws, which no choice of games
//! makes smaller, and a round robin, with more opponents for it, collects a few more of them. Its interval
//! is then a little narrower there, and its rating further from the truth: see the tests.

use std::collections::HashMap;

use ndarray::{Array1, Array2};

use super::record::Tournament;
use super::schedule::pairings;
use crate::error::EvalError;
use crate::ratings::{Cholesky, RatingOptions, rate};

/// Pairs of games per choice: few, so that early results soon influence the choices.
const PAIRS_PER_CHOICE: usize = 4;
/// Standard deviation in Elo of a rating before any game. It makes players without games worth
/// measuring, and connects groups that never met.
const PRIOR_DEVIATION: f64 = 500.0;

/// The meetings of the next round, as many choices as there are players; none when the pairings have
/// played `pairs` pairs on average.
pub(super) fn round(
    tournament: &Tournament,
    active: &[usize],
    pairs: usize,
) -> Result<Vec<([usize; 2], usize)>, EvalError> {
    let possible = pairings(active);
    let played = tournament.pairs_by_pairing();
    let so_far: usize = possible
        .iter()
        .filter_map(|&[a, b]| played.get(&[a.min(b), a.max(b)]))
        .sum();
    let mut left = (pairs * possible.len()).saturating_sub(so_far);
    let mut beliefs = Beliefs::new(tournament, active)?;
    let mut round: Vec<([usize; 2], usize)> = Vec::new();
    for _ in active {
        let n_pairs = left.min(PAIRS_PER_CHOICE);
        let gains = possible
            .iter()
            .map(|&pairing| (beliefs.gain(pairing, n_pairs), pairing));
        let best = gains.max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, pairing)) = best.filter(|_| n_pairs > 0) else {
            break;
        };
        beliefs.play(pairing, n_pairs);
        left -= n_pairs;
        match round.iter_mut().find(|(known, _)| *known == pairing) {
            Some((_, n)) => *n += n_pairs,
            None => round.push((pairing, n_pairs)),
        }
    }
    Ok(round)
}

/// The joint distribution of all ratings, in Elo.
struct Beliefs<'a> {
    active: &'a [usize],
    /// [player, player]
    covariance: Array2<f64>,
    /// {pairing, smaller number first: Fisher information of one pair of games}
    information: HashMap<[usize; 2], f64>,
}

impl<'a> Beliefs<'a> {
    /// After the games of a tournament.
    fn new(tournament: &Tournament, active: &'a [usize]) -> Result<Self, EvalError> {
        let table = rate(&tournament.results().0, &RatingOptions::usual(None))?;
        let known: HashMap<&str, f64> = table
            .players
            .iter()
            .map(|line| (line.name.as_str(), line.elo))
            .collect();
        let names = tournament.players.iter();
        let elo: Vec<f64> = names
            .map(|name| known.get(name.as_str()).copied().unwrap_or_default())
            .collect();
        let everybody: Vec<usize> = (0..elo.len()).collect();
        let information: HashMap<[usize; 2], f64> = pairings(&everybody)
            .into_iter()
            .map(|[a, b]| ([a, b], 2.0 * table.information(elo[a] - elo[b])))
            .collect();
        let mut precision = Array2::eye(elo.len()) * PRIOR_DEVIATION.powi(-2);
        for ([a, b], n_pairs) in tournament.pairs_by_pairing() {
            let weight = n_pairs as f64 * information[&[a, b]];
            for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                precision[[row, column]] += sign * weight;
            }
        }
        let players = elo.len();
        let factor = Cholesky::new(&precision).ok_or(EvalError::NoFit { players })?;
        Ok(Self {
            active,
            covariance: factor.inverse(),
            information,
        })
    }

    fn information(&self, [a, b]: [usize; 2], n_pairs: usize) -> f64 {
        let pair = [a.min(b), a.max(b)];
        n_pairs as f64 * self.information.get(&pair).copied().unwrap_or_default()
    }

    /// [player] covariance with the difference of the two: column a less column b.
    fn with_difference(&self, [a, b]: [usize; 2]) -> impl Fn(usize) -> f64 {
        move |player| self.covariance[[player, a]] - self.covariance[[player, b]]
    }

    /// By how much the summed variances of the active players would fall.
    fn gain(&self, pairing: [usize; 2], n_pairs: usize) -> f64 {
        let information = self.information(pairing, n_pairs);
        let w = self.with_difference(pairing);
        let players = self.active.iter();
        let sum: f64 = players.clone().map(|&player| w(player)).sum();
        let squares: f64 = players.map(|&player| w(player).powi(2)).sum();
        let spread = squares - sum * sum / self.active.len() as f64;
        let variance = w(pairing[0]) - w(pairing[1]);
        information * spread / (1.0 + information * variance)
    }

    /// Updates the covariance as if these games had been played.
    fn play(&mut self, pairing: [usize; 2], n_pairs: usize) {
        let information = self.information(pairing, n_pairs);
        let [a, b] = pairing;
        let w: Array1<f64> = &self.covariance.column(a) - &self.covariance.column(b);
        let scale = information / (1.0 + information * (w[a] - w[b]));
        for (mut row, &left) in self.covariance.rows_mut().into_iter().zip(&w) {
            row.scaled_add(-scale * left, &w);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;
    use search::Seed;

    use super::super::{PairRecord, Schedule, Terms};
    use super::*;
    use crate::elo::{Z_95, expected_score};
    use crate::report::RatingReport;

    const PAIRS: usize = 20;
    const SEEDS: u64 = 40;
    const ADVANTAGE: f64 = 20.0;
    const DRAW_ELO: f64 = 100.0;

    /// What a tournament came to: summed over the players, relative to their mean.
    #[derive(Clone, Copy, Debug, Default)]
    struct Sums {
        /// Variances of the ratings, from their intervals.
        variances: f64,
        /// Squared distances from the true ratings.
        errors: f64,
    }

    /// Points of the first mover in halves, by the model of ratings.
    fn half_points(difference: f64, rng: &mut ChaCha8Rng) -> u8 {
        let x = difference + ADVANTAGE;
        let (win, loss) = (expected_score(x - DRAW_ELO), expected_score(-x - DRAW_ELO));
        match rng.random::<f64>() {
            u if u < win => 2,
            u if u < 1.0 - loss => 1,
            _ => 0,
        }
    }

    /// A tournament among players of these strengths, whose games are drawn by lot.
    fn simulated(schedule: Schedule, elo: &[f64], seed: u64) -> Sums {
        let mut tournament = Tournament::new(Terms {
            variant: String::new(),
            rules_version: 0,
            seed,
            thinking: String::new(),
            openings: String::new(),
            adjudication: String::new(),
        });
        let names = (0..elo.len()).map(|player| player.to_string());
        let active: Vec<usize> = names.map(|name| tournament.enter(&name)).collect();
        let mut rng = Seed::new(seed).rng();
        let mut n_games = 0;
        while schedule.plan(&mut tournament, &active, PAIRS).unwrap() {
            for meeting in tournament.meetings.iter_mut().filter(|m| m.is_open()) {
                let [a, b] = meeting.players;
                let difference = elo[a] - elo[b];
                meeting.pairs.resize_with(meeting.planned, || {
                    n_games += 2;
                    PairRecord {
                        half_points: [
                            half_points(difference, &mut rng),
                            2 - half_points(-difference, &mut rng),
                        ],
                        digests: [n_games.to_string(), (n_games + 1).to_string()],
                    }
                });
            }
        }
        assert_eq!(n_games, 2 * schedule.total_pairs(elo.len(), PAIRS));
        sums(&tournament, elo)
    }

    fn sums(tournament: &Tournament, elo: &[f64]) -> Sums {
        let report =
            RatingReport::new(&tournament.results().0, &RatingOptions::usual(None)).unwrap();
        let mean = elo.iter().sum::<f64>() / elo.len() as f64;
        let mut sums = Sums::default();
        for line in &report.players {
            let truth = elo[line.name.parse::<usize>().unwrap()] - mean;
            sums.variances += (line.ci95 / Z_95).powi(2);
            sums.errors += (line.elo - truth).powi(2);
        }
        sums
    }

    /// The sums of the informative schedule as shares of those of the round robin, over all seeds.
    fn compared(elo: &[f64]) -> Sums {
        let over_seeds = |schedule| {
            let runs = (0..SEEDS).map(|seed| simulated(schedule, elo, seed));
            runs.fold(Sums::default(), |all, one| Sums {
                variances: all.variances + one.variances,
                errors: all.errors + one.errors,
            })
        };
        let informative = over_seeds(Schedule::Informative);
        let round_robin = over_seeds(Schedule::RoundRobin);
        Sums {
            variances: informative.variances / round_robin.variances,
            errors: informative.errors / round_robin.errors,
        }
    }

    #[test]
    fn as_many_games_tell_more_than_in_a_round_robin() {
        for elo in [
            &[0.0, 300.0, 600.0, 900.0][..],
            &[0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0],
        ] {
            let Sums { variances, .. } = compared(elo);
            assert!(variances < 0.95, "{elo:?}: {variances}");
        }
        let Sums { variances, errors } = compared(&[0.0, 400.0, 800.0, 1200.0, 1600.0]);
        assert!(variances < 0.75 && errors < 0.75, "{variances} {errors}");
        // Among equals there is nothing to choose.
        let Sums { variances, .. } = compared(&[0.0, 20.0, 40.0, 60.0, 80.0]);
        assert!((0.97..1.03).contains(&variances), "{variances}");
    }

    #[test]
    fn the_rating_of_a_player_that_loses_every_game_is_closer_to_the_truth() {
        let Sums { variances, errors } = compared(&[0.0, 1400.0, 1600.0, 1750.0]);
        assert!(variances > 1.0 && errors < 0.75, "{variances} {errors}");
    }

    /// Four players of whom the last has not played.
    fn some_games() -> Tournament {
        let mut tournament = Tournament::new(Terms {
            variant: String::new(),
            rules_version: 0,
            seed: 1,
            thinking: String::new(),
            openings: String::new(),
            adjudication: String::new(),
        });
        let names = ["a", "b", "c", "d"];
        let [a, b, c, _] = names.map(|name| tournament.enter(name));
        let mut n_games = 0;
        for (players, results) in [
            ([a, b], [3, 4, 2]),
            ([b, c], [4, 3, 4]),
            ([a, c], [4, 4, 3]),
        ] {
            tournament.plan(players[0], players[1], results.len());
            let meeting = tournament.meetings.last_mut().unwrap();
            meeting.pairs.extend(results.map(|half_points: u8| {
                n_games += 2;
                PairRecord {
                    half_points: [half_points.min(2), half_points.saturating_sub(2)],
                    digests: [n_games.to_string(), (n_games + 1).to_string()],
                }
            }));
        }
        tournament
    }

    /// The precision matrix after these pairs, and the sum of variances relative to the mean of some players.
    fn by_inversion(beliefs: &Beliefs<'_>, pairs: &[([usize; 2], usize)]) -> (Array2<f64>, f64) {
        let n = beliefs.covariance.nrows();
        let mut precision = Array2::eye(n) / (500.0 * 500.0);
        for &([a, b], n_pairs) in pairs {
            let weight = n_pairs as f64 * beliefs.information[&[a, b]];
            precision[[a, a]] += weight;
            precision[[b, b]] += weight;
            precision[[a, b]] -= weight;
            precision[[b, a]] -= weight;
        }
        let covariance = Cholesky::new(&precision).unwrap().inverse();
        let active = beliefs.active;
        let over = |part: &dyn Fn(usize) -> f64| active.iter().map(|&p| part(p)).sum::<f64>();
        let of_sum = over(&|a| over(&|b| covariance[[a, b]]));
        let sum = over(&|a| covariance[[a, a]]) - of_sum / active.len() as f64;
        (covariance, sum)
    }

    #[test]
    fn a_gain_is_by_how_much_variances_fall() {
        let tournament = some_games();
        let table = rate(&tournament.results().0, &RatingOptions::usual(None)).unwrap();
        let elo = |name: &str| table.player(name).map_or(0.0, |line| line.elo);
        let active = [0, 1, 3];
        let mut beliefs = Beliefs::new(&tournament, &active).unwrap();
        let of_a_pair = 2.0 * table.information(elo("a") - elo("c"));
        assert!((beliefs.information[&[0, 2]] / of_a_pair - 1.0).abs() < 1e-12);
        let mut pairs = vec![([0, 1], 3), ([1, 2], 3), ([0, 2], 3)];
        for (pairing, n_pairs) in [([0, 3], 4), ([1, 0], 2), ([3, 1], 7)] {
            let (covariance, before) = by_inversion(&beliefs, &pairs);
            let distance = &covariance - &beliefs.covariance;
            assert!(distance.iter().all(|part| part.abs() < 1e-6), "{distance}");
            let [a, b]: [usize; 2] = pairing;
            pairs.push(([a.min(b), a.max(b)], n_pairs));
            let (_, after) = by_inversion(&beliefs, &pairs);
            let gain = beliefs.gain(pairing, n_pairs);
            assert!((gain / (before - after) - 1.0).abs() < 1e-9, "{gain}");
            beliefs.play(pairing, n_pairs);
        }
    }

    #[test]
    fn a_round_has_no_more_pairs_than_are_left() {
        let tournament = some_games();
        let all = [0, 1, 2, 3];
        let planned = |active: &[usize], pairs| {
            let round = round(&tournament, active, pairs).unwrap();
            let distinct: std::collections::HashSet<_> = round.iter().map(|part| part.0).collect();
            assert_eq!(distinct.len(), round.len());
            round.iter().map(|part| part.1).sum::<usize>()
        };
        // Six pairings have nine pairs behind them; a round has four choices of four pairs.
        assert_eq!(planned(&all, 1), 0);
        assert_eq!(planned(&all, 2), 3);
        assert_eq!(planned(&all, 4), 15);
        assert_eq!(planned(&all, 5), 16);
        // Of three players, whose pairings have three pairs behind them.
        assert_eq!(planned(&[3, 1, 0], 4), 9);
        // Two choices of the same pairing.
        assert_eq!(round(&tournament, &[0, 1], 20).unwrap(), [([0, 1], 8)]);
        // Who has not played is known the least.
        let first = round(&tournament, &all, 2).unwrap();
        assert!(
            first.iter().all(|(pairing, _)| pairing.contains(&3)),
            "{first:?}"
        );
    }
}
