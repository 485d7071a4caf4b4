//! Ratings of a run's players on the fixed scale of the baselines: games of the run only affect its
//! own players.

use std::fmt;

use ndarray::Array1;
use serde::{Deserialize, Serialize};
use types::tidy;

use crate::bisection::bisect;
use crate::elo::{NATURAL_PER_ELO, Z_95, expected_score, logistic, student_95};
use crate::error::RatingError;
use crate::scale::{
    DrawCurve, DrawPrior, GoodnessOfFit, Outcomes, Pairing, Residuals, ScaleFit, ScaleProblem,
    information,
};
use crate::tally::Tallies;

/// The name of the player whose rating is 0.
pub const ZERO: &str = "random";

/// Standard deviation in Elo of a rating before any game.
const PRIOR_DEVIATION: f64 = 500.0;
/// Prior before the games of the baselines: ln ν around even odds, with or without a slope.
const ANY_DRAWS: DrawPrior = DrawPrior {
    mean: DrawCurve {
        base: 0.0,
        slope: 0.0,
    },
    deviation: [3.0, 0.3],
};
/// Prior deviations of a run's draws from the draws of equally strong baselines: ln ν, its slope.
const DRAWS_OF_RUNS: [f64; 2] = [1.0, 0.02];

/// A player's rating in Elo above random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunRating {
    /// The rating.
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub ci95: f64,
    /// Half-width if the ratings of the baselines were exact: the uncertainty due to the run's
    /// games. The rest of `ci95` is common to all strong players and all runs.
    pub ci95_on_scale: f64,
}

/// The score of a player against a baseline: shown with the rating, but independent of any model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirectScore {
    /// The baseline that it met with the nearest rating.
    pub baseline: String,
    /// The baseline's rating.
    pub elo: f64,
    /// Games.
    pub games: u64,
    /// Share of the points, 0 to 1.
    pub score: f64,
    /// The score that the ratings predict, 0 to 1.
    pub expected: f64,
}

impl fmt::Display for DirectScore {
    /// The text shown next to a rating.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.0} % against {}",
            tidy(100.0 * self.score, 0),
            self.baseline
        )
    }
}

/// Bounds of every rating in natural units: 10,000 Elo below and above `random`.
const FAR_AWAY: [f64; 2] = [-58.0, 58.0];
/// Number of bisections, enough for full precision.
const BISECTIONS: usize = 60;

/// The ratings of a run's players; the baselines' ratings come from their own games alone.
pub struct RunRatings {
    /// The baselines first.
    names: Vec<String>,
    n_baselines: usize,
    anchors: ScaleFit,
    run: ScaleFit,
    pairings: Vec<Pairing>,
    /// The fit of the ratings to the games of the run and of the baselines.
    pub fit: GoodnessOfFit,
}

impl RunRatings {
    /// Rates the players in `games`. Baselines keep the ratings derived from `anchors`, their games
    /// among themselves.
    ///
    /// # Errors
    /// If the fit is numerically singular.
    pub fn new(anchors: &Tallies, games: &Tallies) -> Result<Self, RatingError> {
        let mut names = anchors.names().to_vec();
        let n_baselines = names.len();
        let players = games.names().iter();
        let strangers = players.filter(|name| !anchors.names().contains(name));
        names.extend(strangers.cloned());
        let place = |name: &str| names.iter().position(|known| known == name);
        let number = |name: &str| place(name).unwrap_or_default();
        let failed = || RatingError::NoFit {
            players: names.len(),
        };
        let is_zero = |name: &String| (name == ZERO).then_some(0.0);
        let zero: Vec<Option<f64>> = anchors.names().iter().map(is_zero).collect();
        let scale = ScaleProblem {
            pairings: &Pairing::all(anchors, number),
            fixed: &zero,
            draws: ANY_DRAWS,
            others: &Residuals::default(),
        }
        .fit()
        .ok_or_else(failed)?;
        let pairings = Pairing::all(games, number);
        let fixed: Vec<Option<f64>> = (0..names.len())
            .map(|player| scale.ratings.get(player).copied())
            .collect();
        let run = ScaleProblem {
            pairings: &pairings,
            fixed: &fixed,
            draws: DrawPrior {
                mean: scale.draws,
                deviation: DRAWS_OF_RUNS,
            },
            others: &scale.residuals,
        }
        .fit()
        .ok_or_else(failed)?;
        let together = run.residuals.with(&scale.residuals);
        let fit = GoodnessOfFit {
            chi_square: together.chi_square(),
            degrees_of_freedom: together.degrees_of_freedom() as u64,
            overdispersion_elo: run.overdispersion_squared.sqrt() / NATURAL_PER_ELO,
        };
        Ok(Self {
            names,
            n_baselines,
            anchors: scale,
            run,
            pairings,
            fit,
        })
    }

    /// A player's rating; `None` without games.
    pub fn player(&self, name: &str) -> Option<RunRating> {
        let player = self.number(name)?;
        let half_width = |variance: f64, degrees_of_freedom: usize| {
            student_95(degrees_of_freedom) * variance.max(0.0).sqrt() / NATURAL_PER_ELO
        };
        let (scale, run) = (&self.anchors.residuals, &self.run.residuals);
        let degrees = scale.with(run).degrees_of_freedom();
        let on_scale = half_width(self.run.covariance[[player, player]], degrees);
        let of_scale = half_width(self.variance_of_scale(player), scale.degrees_of_freedom());
        Some(RunRating {
            elo: self.elo(player),
            ci95: on_scale.hypot(of_scale),
            ci95_on_scale: on_scale,
        })
    }

    /// The player's games against the nearest baseline that it met.
    pub fn direct(&self, name: &str) -> Option<DirectScore> {
        let player = self.number(name)?;
        let elo = self.elo(player);
        let away = |met: &Pairing| (self.elo(met.b) - elo).abs();
        let met = self.met(player);
        let nearest = met.min_by(|one, other| away(one).total_cmp(&away(other)))?;
        let theirs = self.elo(nearest.b);
        Some(DirectScore {
            baseline: self.names[nearest.b].clone(),
            elo: theirs,
            games: nearest.played.round() as u64,
            score: nearest.points() / nearest.played,
            expected: expected_score(elo - theirs),
        })
    }

    /// The rating that predicts the player's total score against the baselines that it met, with
    /// equal weight for every game; `None` without such games.
    ///
    /// Unlike [`player`](Self::player) it does not weigh opponents by the reliability of their
    /// results, so two measurements against the same opponents differ only by chance.
    pub fn performance(&self, name: &str) -> Option<RunRating> {
        let player = self.number(name)?;
        let met: Vec<Pairing> = self.met(player).collect();
        if met.is_empty() {
            return None;
        }
        let of = |met: &Pairing| self.run.ratings[met.b];
        let missing = |rating: f64| -> f64 {
            let missing = |met: &Pairing| met.games * (met.score - logistic(rating - of(met)));
            met.iter().map(missing).sum()
        };
        let [least, most] = bisect(FAR_AWAY, BISECTIONS, |rating| missing(rating) > 0.0);
        let rating = f64::midpoint(least, most);
        let slopes = met.iter().map(|met| {
            let expected = logistic(rating - of(met));
            met.games * expected * (1.0 - expected)
        });
        let slope: f64 = slopes.clone().sum();
        let chance = met.iter().map(|met| {
            let log_nu = self.run.draws.log_nu(f64::midpoint(rating, of(met)));
            met.games * Outcomes::new(rating - of(met), log_nu).variance()
        });
        let chance = chance.sum::<f64>() / (slope * slope);
        let mut shares = Array1::zeros(self.n_baselines);
        for (met, part) in met.iter().zip(slopes) {
            shares[met.b] = part / slope;
        }
        let overdispersion = self.anchors.overdispersion_squared * shares.dot(&shares);
        let scale = shares.dot(&self.anchors.covariance.dot(&shares));
        let half_width = |variance: f64| Z_95 * variance.max(0.0).sqrt() / NATURAL_PER_ELO;
        Some(RunRating {
            elo: rating / NATURAL_PER_ELO,
            ci95: half_width(chance + overdispersion + scale),
            ci95_on_scale: half_width(chance + overdispersion),
        })
    }

    /// The reduction of the variance of the player's rating, in Elo², by `pairs` more pairs of
    /// games against `opponent`; 0 for an opponent without a rating. A player without games is
    /// assumed to be near `guess`.
    ///
    /// The games bring information i about the difference of the two; the Sherman-Morrison formula
    /// gives the new covariance. The best opponents are close in strength, accurately rated, and
    /// have rarely been met: however many games, i stays below 1/τ².
    pub fn gain(&self, player: &str, guess: f64, opponent: &str, pairs: usize) -> f64 {
        let Some(theirs) = self.number(opponent) else {
            return 0.0;
        };
        let own = self.number(player);
        let ratings = [own.map_or(guess, |own| self.elo(own)), self.elo(theirs)]
            .map(|elo| elo * NATURAL_PER_ELO);
        let met = |pairing: &&Pairing| {
            own.is_some_and(|own| [(own, theirs), (theirs, own)].contains(&(pairing.a, pairing.b)))
        };
        let before = self.pairings.iter().find(met);
        let before = before.map_or(0.0, |pairing| pairing.games);
        let [before, after] = [before, before + 2.0 * pairs as f64].map(|games| match games {
            0.0 => 0.0,
            games => information(&self.run, ratings, games),
        });
        let covariance = &self.run.covariance;
        let unknown = (PRIOR_DEVIATION * NATURAL_PER_ELO).powi(2);
        let variance = own.map_or(unknown, |own| covariance[[own, own]]);
        let shared = own.map_or(0.0, |own| covariance[[own, theirs]]);
        let between = variance + covariance[[theirs, theirs]] - 2.0 * shared;
        let information = after - before;
        information * (variance - shared).powi(2)
            / (1.0 + information * between)
            / NATURAL_PER_ELO.powi(2)
    }

    /// The player's pairings with baselines, which come second.
    fn met(&self, player: usize) -> impl Iterator<Item = Pairing> {
        let own = move |pairing: &Pairing| pairing.seen_by(player);
        let own = self.pairings.iter().filter_map(own);
        own.filter(|pairing| pairing.b < self.n_baselines)
    }

    /// Variance due to the uncertainty of the baselines, in natural units.
    fn variance_of_scale(&self, player: usize) -> f64 {
        if player < self.n_baselines {
            return self.anchors.covariance[[player, player]];
        }
        let follows = self.run.follows.row(player);
        let follows = follows.slice(ndarray::s![..self.n_baselines]);
        follows.dot(&self.anchors.covariance.dot(&follows))
    }

    fn elo(&self, player: usize) -> f64 {
        self.run.ratings[player] / NATURAL_PER_ELO
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two baselines far apart, with an accurately known distance.
    fn anchors() -> Tallies {
        let mut games = Tallies::default();
        games.add_counts("alphabeta:depth=1", ZERO, [9000, 0, 1000]);
        games.add_counts(ZERO, "alphabeta:depth=1", [1000, 0, 9000]);
        games
    }

    fn both_ways(games: &mut Tallies, a: &str, b: &str, [wins, losses]: [u64; 2]) {
        games.add_counts(a, b, [wins, 0, losses]);
        games.add_counts(b, a, [losses, 0, wins]);
    }

    #[test]
    fn an_equal_of_a_certain_player_is_as_uncertain_as_its_games() {
        let mut games = Tallies::default();
        both_ways(&mut games, "new", "alphabeta:depth=1", [50, 50]);
        let ratings = RunRatings::new(&anchors(), &games).unwrap();
        let rating = ratings.player("new").unwrap();
        // 200 games between equals, and the prior's two draws: the variance is 1 over a quarter of
        // the games, in natural units.
        let natural = 400.0 / std::f64::consts::LN_10;
        let expected = Z_95 * natural / (202.0_f64 / 4.0).sqrt();
        assert!(
            (rating.ci95_on_scale / expected - 1.0).abs() < 0.02,
            "{rating:?} {expected}"
        );
        assert!(rating.ci95 > rating.ci95_on_scale);
        let depth_one = ratings.player("alphabeta:depth=1").unwrap();
        assert_eq!(depth_one.ci95_on_scale, 0.0);
        assert!((rating.elo - depth_one.elo).abs() < 5.0);
    }

    #[test]
    fn the_baselines_stand_still_whatever_a_run_plays() {
        let level = "alphabeta:depth=1";
        let alone = RunRatings::new(&anchors(), &Tallies::default()).unwrap();
        let mut games = Tallies::default();
        both_ways(&mut games, "new", level, [95, 5]);
        both_ways(&mut games, "newer", "new", [50, 50]);
        // A result that contradicts the others.
        both_ways(&mut games, "newer", level, [50, 50]);
        let ratings = RunRatings::new(&anchors(), &games).unwrap();
        assert_eq!(ratings.player(level), alone.player(level));
        let fit = ratings.fit;
        assert_eq!(fit.degrees_of_freedom, 1);
        assert!(
            fit.chi_square > 10.0 && fit.overdispersion_elo > 100.0,
            "{fit}"
        );
        let direct = ratings.direct("new").unwrap();
        assert_eq!((direct.baseline.as_str(), direct.games), (level, 200));
        assert!((direct.score - 0.95).abs() < 1e-12 && direct.expected < 0.95);
        assert_eq!(ratings.direct("nobody"), None);
    }

    #[test]
    fn a_baseline_that_plays_in_a_run_has_a_direct_score_too() {
        let mut games = Tallies::default();
        both_ways(&mut games, "alphabeta:depth=1", ZERO, [30, 10]);
        let ratings = RunRatings::new(&anchors(), &games).unwrap();
        let against = |name| {
            let direct = ratings.direct(name).unwrap();
            (direct.baseline, direct.games, direct.score)
        };
        assert_eq!(against("alphabeta:depth=1"), (ZERO.to_owned(), 80, 0.75));
        let level = "alphabeta:depth=1".to_owned();
        assert_eq!(against(ZERO), (level, 80, 0.25));
    }

    #[test]
    fn a_performance_is_what_the_same_score_is_expected_of() {
        let mut games = Tallies::default();
        both_ways(&mut games, "new", "alphabeta:depth=1", [50, 50]);
        both_ways(&mut games, "new", ZERO, [500, 500]);
        both_ways(&mut games, "newer", "new", [99, 1]);
        let ratings = RunRatings::new(&anchors(), &games).unwrap();
        let level = ratings.player("alphabeta:depth=1").unwrap().elo;
        let found = ratings.performance("new").unwrap();
        let expected =
            200.0 * expected_score(found.elo - level) + 2000.0 * expected_score(found.elo);
        assert!((expected - 1100.0).abs() < 1.0, "{found:?}");
        // A tenth of its games are against the stronger one, and it is near the other.
        assert!(found.elo < 0.2 * level, "{found:?}");
        assert!(found.ci95_on_scale < found.ci95);
        // It met no baseline.
        assert_eq!(ratings.performance("newer"), None);
    }

    #[test]
    fn who_outgrew_the_baselines_learns_more_from_its_past() {
        let mut games = Tallies::default();
        both_ways(&mut games, "old", "alphabeta:depth=1", [90, 10]);
        both_ways(&mut games, "middle", "old", [80, 20]);
        let ratings = RunRatings::new(&anchors(), &games).unwrap();
        let top = ratings.player("middle").unwrap().elo;
        let gain = |opponent| ratings.gain("new", top + 100.0, opponent, 10);
        assert!(gain("middle") > gain("alphabeta:depth=1"));
        assert!(gain("alphabeta:depth=1") > gain(ZERO));
        assert_eq!(gain("nobody"), 0.0);

        let half_width = |opponent, result| {
            let mut games = games.clone();
            both_ways(&mut games, "new", opponent, result);
            let ratings = RunRatings::new(&anchors(), &games).unwrap();
            ratings.player("new").unwrap().ci95_on_scale
        };
        // The same number of games against the baseline, with the score predicted by the ratings.
        let from_past = half_width("middle", [30, 20]);
        let from_baseline = half_width("alphabeta:depth=1", [49, 1]);
        assert!(
            from_past < 0.7 * from_baseline,
            "{from_past} {from_baseline}"
        );
    }

    #[test]
    fn the_gain_is_what_the_next_fit_shows() {
        let mut games = Tallies::default();
        both_ways(&mut games, "old", "alphabeta:depth=1", [60, 40]);
        both_ways(&mut games, "new", "old", [100, 100]);
        let before = RunRatings::new(&anchors(), &games).unwrap();
        let gain = before.gain("new", 0.0, "alphabeta:depth=1", 50);
        let variance = |ratings: &RunRatings| {
            let player = ratings.number("new").unwrap();
            ratings.run.covariance[[player, player]] / NATURAL_PER_ELO.powi(2)
        };
        both_ways(&mut games, "new", "alphabeta:depth=1", [30, 20]);
        let after = RunRatings::new(&anchors(), &games).unwrap();
        let real = variance(&before) - variance(&after);
        assert!((gain / real - 1.0).abs() < 0.1, "{gain} {real}");
    }
}
