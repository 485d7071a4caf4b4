//! Ratings of the players of a run, all fitted jointly on the scale of the baselines.

use ndarray::Array2;

use crate::anchors::{Anchors, ZERO};
use crate::elo::Z_95;
use crate::error::EvalError;
use crate::ratings::{RatingFit, RatingOptions, RatingTable, Tallies};

/// Standard deviation in Elo of a rating before any game.
const PRIOR_DEVIATION: f64 = 500.0;

/// A player's rating, `random` being 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunRating {
    /// The rating.
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub ci95: f64,
    /// The same if the ratings of the baselines were certain: the uncertainty due to the run's games.
    /// The rest of `ci95` is common to all strong players and all runs.
    pub ci95_on_scale: f64,
}

/// The joint ratings of the baselines and of all players of a run.
pub struct RunRatings {
    table: RatingTable,
    /// [line, line] of the table; Elo², baselines being certain.
    covariance: Array2<f64>,
}

impl RunRatings {
    /// Rates the baselines and the players in `games` jointly.
    ///
    /// # Errors
    /// As [`RatingFit::new`].
    pub fn new(anchors: &Anchors, games: &Tallies) -> Result<Self, EvalError> {
        let mut all = anchors.games.clone();
        all.extend(games);
        let fit = RatingFit::new(&all, &RatingOptions::usual(Some(ZERO)))?;
        let baselines = anchors.games.names();
        let covariance =
            fit.covariance_given(|name| baselines.iter().any(|known| known == name))?;
        Ok(Self {
            table: fit.table,
            covariance,
        })
    }

    /// The table of all ratings, baselines included.
    pub fn table(&self) -> &RatingTable {
        &self.table
    }

    /// A player's rating; `None` without games.
    pub fn player(&self, name: &str) -> Option<RunRating> {
        let line = self.line(name)?;
        let rating = &self.table.players[line];
        Some(RunRating {
            elo: rating.elo,
            ci95: rating.ci95,
            ci95_on_scale: Z_95 * self.covariance[[line, line]].max(0.0).sqrt(),
        })
    }

    /// The reduction of the variance of the player's rating, in Elo², by `games` games against
    /// `opponent`; 0 for an opponent without a rating. A player without games is assumed to be near
    /// `guess`.
    ///
    /// A game brings information i about the difference of the two; the Sherman-Morrison formula gives
    /// the new covariance. The best opponents are near the player's strength and well known.
    pub fn gain(&self, player: &str, guess: f64, opponent: &str, games: usize) -> f64 {
        let Some(theirs) = self.line(opponent) else {
            return 0.0;
        };
        let own = self.line(player);
        let elo = own.map_or(guess, |own| self.table.players[own].elo);
        let difference = elo - self.table.players[theirs].elo;
        let information = games as f64 * self.table.information(difference);
        let variance = own.map_or(PRIOR_DEVIATION.powi(2), |own| self.covariance[[own, own]]);
        let shared = own.map_or(0.0, |own| self.covariance[[own, theirs]]);
        let between = variance + self.covariance[[theirs, theirs]] - 2.0 * shared;
        information * (variance - shared).powi(2) / (1.0 + information * between)
    }

    fn line(&self, name: &str) -> Option<usize> {
        self.table
            .players
            .iter()
            .position(|player| player.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two baselines far apart, whose distance is known well.
    fn anchors() -> Anchors {
        let mut games = Tallies::default();
        games.add_counts("alphabeta:depth=1", ZERO, [9000, 0, 1000]);
        games.add_counts(ZERO, "alphabeta:depth=1", [1000, 0, 9000]);
        Anchors {
            rules_version: 1,
            max_depth: 1,
            learned_depth: 0,
            pairs: 10_000,
            seed: 1,
            games,
        }
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
    fn who_outgrew_the_baselines_learns_more_from_its_past() {
        let mut games = Tallies::default();
        both_ways(&mut games, "old", "alphabeta:depth=1", [90, 10]);
        both_ways(&mut games, "middle", "old", [80, 20]);
        let ratings = RunRatings::new(&anchors(), &games).unwrap();
        let top = ratings.player("middle").unwrap().elo;
        let gain = |opponent| ratings.gain("new", top + 100.0, opponent, 20);
        assert!(gain("middle") > gain("alphabeta:depth=1"));
        assert!(gain("alphabeta:depth=1") > gain(ZERO));
        assert_eq!(gain("nobody"), 0.0);

        let half_width = |opponent, result| {
            let mut games = games.clone();
            both_ways(&mut games, "new", opponent, result);
            let ratings = RunRatings::new(&anchors(), &games).unwrap();
            ratings.player("new").unwrap().ci95_on_scale
        };
        // As many games against the baseline, with the score that the ratings foretell.
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
        let gain = before.gain("new", 0.0, "alphabeta:depth=1", 100);
        let variance =
            |ratings: &RunRatings| (ratings.player("new").unwrap().ci95_on_scale / Z_95).powi(2);
        both_ways(&mut games, "new", "alphabeta:depth=1", [30, 20]);
        let after = RunRatings::new(&anchors(), &games).unwrap();
        let real = variance(&before) - variance(&after);
        assert!((gain / real - 1.0).abs() < 0.1, "{gain} {real}");
    }
}
