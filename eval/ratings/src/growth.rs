//! The growth of ratings with the games of a run: recorded runs predict a new one.
//!
//! With t the doublings of the games of self-play beyond 32,000, a run's rating is
//!
//! level + slope·t + w(t) + own level and slope of its game, of its network's size and of its
//! network's inputs + level of the run + effect·(doublings of the simulations beyond 32).
//!
//! All of these are normal a priori; terms of games and networks are centered at zero, so that
//! games with few runs borrow from the others. w is an integrated Wiener process: the slope
//! wanders, so that nothing is certain far from all runs. The posterior is then exact (C. E.
//! Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", 2006, section 2.2).
//! The standard deviations are fixed round numbers.

use std::fmt;

use ndarray::{Array1, Array2};
use serde::Serialize;
use types::tidy;

use crate::cholesky::Cholesky;
use crate::elo::{Z_95, student_95};

/// Games of self-play at t = 0.
const GAMES: f64 = 32_000.0;
/// Simulations of a full search that the effect of simulations counts from.
const SIMULATIONS: f64 = 32.0;
/// Mean and standard deviation of level and slope, in Elo and Elo per doubling.
const LEVEL: [f64; 2] = [2000.0, 500.0];
const SLOPE: [f64; 2] = [100.0, 100.0];
/// Standard deviations of a game's own level and slope.
const OF_GAME: [f64; 2] = [250.0, 30.0];
/// Standard deviations of the own level and slope of a network size, and of network inputs,
/// relative to index 0.
const OF_NETWORK: [f64; 2] = [150.0, 40.0];
/// Standard deviation of a run's own level, due to its seed and program version.
const OF_RUN: f64 = 60.0;
/// Wandering of the slope: its standard deviation after one doubling.
const WANDER: f64 = 20.0;
/// Standard deviation of the effect of twice the simulations.
const OF_SIMULATIONS: f64 = 60.0;

/// The state of a run now or in the future.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Index of its game.
    pub game: usize,
    /// Index of its network size; 0 is the reference.
    pub network: usize,
    /// Index of its network inputs; 0 is the reference.
    pub inputs: usize,
    /// Index of the run; `None` for a new one.
    pub run: Option<usize>,
    /// Self-play games.
    pub games: f64,
    /// Simulations of a full search.
    pub simulations: f64,
}

/// A measurement: the sum of some ratings, each with a factor. A rating has one term, a match
/// difference two.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Factors, and the runs that they apply to.
    pub terms: Vec<(f64, Standing)>,
    /// The sum, in Elo.
    pub elo: f64,
    /// Half-width of its 95 % interval.
    pub ci95: f64,
}

/// A prediction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// In Elo.
    pub elo: f64,
    /// Half-width of the 95 % interval.
    pub ci95: f64,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} ±{:.0}", tidy(self.elo, 0), self.ci95)
    }
}

/// A model of the growth of ratings, fitted to measurements.
pub struct Growth {
    measured: Vec<Measured>,
    factor: Cholesky,
    /// The inverse of the covariance times measured less expected values.
    weights: Array1<f64>,
    /// 97.5 % quantile, for the number of runs.
    quantile: f64,
}

impl Growth {
    /// Fits the model to measurements of `n_runs` different runs. `None` without measurements, or
    /// if one has no uncertainty.
    pub fn new(measured: Vec<Measured>, n_runs: usize) -> Option<Growth> {
        let n = measured.len();
        let covariance = Array2::from_shape_fn((n, n), |(a, b)| {
            let noise = (measured[a].ci95 / Z_95).powi(2);
            covariance(&measured[a].terms, &measured[b].terms) + if a == b { noise } else { 0.0 }
        });
        let is_sure = |measure: &Measured| measure.ci95.is_nan() || measure.ci95 <= 0.0;
        if n == 0 || measured.iter().any(is_sure) {
            return None;
        }
        let factor = Cholesky::new(&covariance)?;
        let surprise: Array1<f64> = measured.iter().map(|m| m.elo - prior(&m.terms)).collect();
        Some(Growth {
            weights: factor.solve(surprise.view()),
            factor,
            // The runs together determine level and slope.
            quantile: student_95(n_runs.saturating_sub(2).max(1)),
            measured,
        })
    }

    /// Predicts the sum of some ratings, each with a factor.
    pub fn expect(&self, terms: &[(f64, Standing)]) -> Expected {
        let with = self.measured.iter();
        let with: Array1<f64> = with.map(|m| covariance(terms, &m.terms)).collect();
        let known = with.dot(&self.factor.solve(with.view()));
        let variance = (covariance(terms, terms) - known).max(0.0);
        Expected {
            elo: prior(terms) + with.dot(&self.weights),
            ci95: self.quantile * variance.sqrt(),
        }
    }
}

fn doublings(standing: &Standing) -> f64 {
    (standing.games.max(1.0) / GAMES).log2()
}

fn prior(terms: &[(f64, Standing)]) -> f64 {
    let of = |(factor, at): &(f64, Standing)| factor * (LEVEL[0] + SLOPE[0] * doublings(at));
    terms.iter().map(of).sum()
}

fn covariance(a: &[(f64, Standing)], b: &[(f64, Standing)]) -> f64 {
    let row = |(f, a): &(f64, Standing)| {
        b.iter()
            .map(move |(g, b)| f * g * between(a, b))
            .sum::<f64>()
    };
    a.iter().map(row).sum()
}

/// The prior covariance of two ratings.
fn between(a: &Standing, b: &Standing) -> f64 {
    let (s, t) = (doublings(a), doublings(b));
    let line = |[level, slope]: [f64; 2]| level.powi(2) + slope.powi(2) * s * t;
    let simulations = |at: &Standing| (at.simulations / SIMULATIONS).log2();
    let mut sum = line([LEVEL[1], SLOPE[1]]) + WANDER.powi(2) * wander(s, t);
    sum += OF_SIMULATIONS.powi(2) * simulations(a) * simulations(b);
    if a.game == b.game {
        sum += line(OF_GAME);
    }
    for (a, b) in [(a.network, b.network), (a.inputs, b.inputs)] {
        if a == b && a > 0 {
            sum += line(OF_NETWORK);
        }
    }
    // Two new runs count as the same one: the question is how it continues.
    if a.run == b.run {
        sum += OF_RUN.powi(2);
    }
    sum
}

/// The covariance of an integrated Wiener process that starts at 0 in both directions.
fn wander(s: f64, t: f64) -> f64 {
    let (near, far) = (s.abs().min(t.abs()), s.abs().max(t.abs()));
    match s.signum() == t.signum() {
        true => near.powi(2) * far / 2.0 - near.powi(3) / 6.0,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(game: usize, run: Option<usize>, games: f64) -> Standing {
        Standing {
            game,
            network: 0,
            inputs: 0,
            run,
            games,
            simulations: 32.0,
        }
    }

    fn rating(at: Standing, elo: f64, ci95: f64) -> Measured {
        Measured {
            terms: vec![(1.0, at)],
            elo,
            ci95,
        }
    }

    #[test]
    fn one_measure_is_believed_as_far_as_its_precision() {
        // Only the level counts at 32,000 games: prior 2000 ±sqrt(500² + 250² + 60²), measured 2500
        // ±100.
        let growth =
            Growth::new(vec![rating(standing(0, Some(0), GAMES), 2500.0, 196.0)], 3).unwrap();
        let expected = growth.expect(&[(1.0, standing(0, Some(0), GAMES))]);
        let prior = 500.0_f64.powi(2) + 250.0_f64.powi(2) + 60.0_f64.powi(2);
        let variance = 1.0 / (1.0 / prior + 1.0 / 100.0_f64.powi(2));
        assert!((expected.elo - (2000.0 + 500.0 * variance / 100.0_f64.powi(2))).abs() < 0.1);
        assert!((expected.ci95 / (student_95(1) * variance.sqrt()) - 1.0).abs() < 1e-3);
        // A new run of the game is less certain, another game less still.
        let of = |at| growth.expect(&[(1.0, at)]).ci95;
        let [new, other] = [0, 1].map(|game| of(standing(game, None, GAMES)));
        assert!(expected.ci95 < new && new < other, "{new} {other}");
    }

    #[test]
    fn what_lies_beyond_all_runs_is_less_certain_the_further_it_is() {
        let runs = [(0, 4e3, 1800.0), (1, 32e3, 2150.0), (2, 256e3, 2500.0)];
        let runs = runs.map(|(run, games, elo)| rating(standing(0, Some(run), games), elo, 50.0));
        let growth = Growth::new(runs.to_vec(), 3).unwrap();
        let at = |games| growth.expect(&[(1.0, standing(0, None, games))]);
        assert!((at(128e3).elo - 2383.0).abs() < 40.0, "{:?}", at(128e3));
        assert!(at(128e3).ci95 < at(2e6).ci95 && 2.0 * at(2e6).ci95 < at(64e6).ci95);
        // The gain of one run is more certain than its rating.
        let (now, then) = (standing(0, None, 64e3), standing(0, None, 128e3));
        let gain = growth.expect(&[(1.0, then), (-1.0, now)]);
        assert!(
            gain.ci95 < at(128e3).ci95 && (gain.elo - 116.0).abs() < 30.0,
            "{gain:?}"
        );
    }

    #[test]
    fn a_match_tells_what_simulations_are_worth() {
        let with = |run, simulations| Standing {
            simulations,
            ..standing(0, Some(run), GAMES)
        };
        let contest = Measured {
            terms: vec![(1.0, with(0, 64.0)), (-1.0, with(1, 32.0))],
            elo: 100.0,
            ci95: 20.0,
        };
        let growth = Growth::new(vec![contest], 2).unwrap();
        let new = |simulations| Standing {
            run: None,
            ..with(0, simulations)
        };
        let gain = growth.expect(&[(1.0, new(64.0)), (-1.0, new(32.0))]);
        // The runs themselves may differ by as much.
        let share = 60.0_f64.powi(2) / (3.0 * 60.0_f64.powi(2) + (20.0 / 1.96_f64).powi(2));
        assert!((gain.elo - 100.0 * share).abs() < 0.1, "{gain:?}");
    }

    /// By hand, at one and at three doublings.
    #[test]
    fn what_two_ratings_have_in_common() {
        let [one, three] = [2.0, 8.0].map(|times| standing(0, Some(0), times * GAMES));
        assert_eq!(prior(&[(1.0, one), (-2.0, three)]), 2100.0 - 2.0 * 2300.0);
        assert_eq!(wander(1.0, 3.0), 1.5 - 1.0 / 6.0);
        assert_eq!(wander(-3.0, -2.0), 6.0 - 8.0 / 6.0);
        assert_eq!((wander(-1.0, 2.0), wander(0.0, 2.0)), (0.0, 0.0));
        let shared = 500.0 * 500.0 + 3.0 * 100.0 * 100.0 + 400.0 * wander(1.0, 3.0);
        let of_game = 250.0 * 250.0 + 3.0 * 30.0 * 30.0;
        let of_network = 150.0 * 150.0 + 3.0 * 40.0 * 40.0;
        let same = |a: &Standing, b: &Standing, expected: f64| {
            assert!((between(a, b) - expected).abs() < 1e-6, "{a:?} {b:?}");
        };
        same(&one, &three, shared + of_game + 3600.0);
        let other_run = Standing {
            run: Some(1),
            ..three
        };
        same(&one, &other_run, shared + of_game);
        same(
            &one,
            &Standing {
                game: 1,
                ..other_run
            },
            shared,
        );
        let with = |network| [one, other_run].map(|at| Standing { network, ..at });
        let ([a, b], [c, _]) = (with(2), with(1));
        same(&a, &b, shared + of_game + of_network);
        same(&c, &b, shared + of_game);
        let sees = |at| Standing { inputs: 1, ..at };
        same(&sees(one), &other_run, shared + of_game);
        same(&sees(one), &sees(other_run), shared + of_game + of_network);
        let searched = |at, simulations| Standing { simulations, ..at };
        let effect = -3600.0 * 2.0;
        same(
            &searched(one, 128.0),
            &searched(other_run, 16.0),
            shared + of_game + effect,
        );
        let terms = [[(2.0, one)], [(-3.0, other_run)]];
        let sum = covariance(&terms[0], &terms[1]);
        assert!((sum + 6.0 * (shared + of_game)).abs() < 1e-6);
    }

    #[test]
    fn nothing_to_learn_from_is_refused() {
        assert!(Growth::new(Vec::new(), 0).is_none());
        assert!(Growth::new(vec![rating(standing(0, None, GAMES), 1.0, 0.0)], 1).is_none());
    }
}
