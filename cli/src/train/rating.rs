//! Ratings of the champions against the fixed baselines and each other, with fresh games.
//!
//! All games of a run's ratings are rated together. So a champion's rating may still move when later
//! ones meet it, and all points of `ratings.json` are written anew each time.

use std::collections::BTreeSet;

use eval::{Arena, Ladder, RunRatings, Tallies, anchors, climb};
use serde::{Deserialize, Serialize};
use store::{ModelId, Scalar};

use super::gate::player_name;
use super::generation::{Ended, Training};
use super::status::RatingStatus;
use crate::players;

/// Separates the rating's openings and lots from everything else that the run's seed decides.
const RATING_STREAM: u64 = 0x7261_7465;
/// The newest earlier champions who are opponents; older ones are far below.
const MAX_PAST: usize = 12;

/// `ratings.json`: the champion's rating over time, by all games that rated champions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ratings {
    /// What 0 Elo is.
    pub(crate) zero: String,
    /// Oldest first.
    pub(crate) points: Vec<RatingPoint>,
}

/// One rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RatingPoint {
    pub(crate) generation: u32,
    /// The champion's number.
    pub(crate) model: u32,
    /// Training time of the run when it was measured.
    pub(crate) seconds: f64,
    pub(crate) elo: f64,
    /// Half-width of the 95 % interval.
    pub(crate) ci95: f64,
    /// The same with the baselines' ratings taken as given; older runs did not note it.
    #[serde(default)]
    pub(crate) ci95_on_scale: Option<f64>,
    /// Games played for it.
    pub(crate) games: u64,
    /// Their results; older runs did not keep them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) results: Option<Tallies>,
    /// Self-play games of the run when it was measured; older runs did not note it.
    #[serde(default)]
    pub(crate) selfplay_games: Option<u64>,
    pub(crate) simulations: u32,
}

impl RatingPoint {
    /// The half-width to show: what the games of this run leave open, where that is known.
    pub(crate) fn interval(&self) -> f64 {
        self.ci95_on_scale.unwrap_or(self.ci95)
    }
}

impl Ratings {
    /// All results, but those of points that `generation` is about to replace.
    fn results_before(&self, generation: u32) -> Tallies {
        let mut all = Tallies::default();
        let others = self.points.iter().filter(|p| p.generation != generation);
        others
            .filter_map(|point| point.results.as_ref())
            .for_each(|results| all.extend(results));
        all
    }

    /// The newest champions whose games are known, `champion` left out.
    fn past(&self, champion: ModelId) -> impl Iterator<Item = ModelId> {
        let known = self.points.iter().filter(|point| point.results.is_some());
        let models: BTreeSet<u32> = known.map(|point| point.model).collect();
        let others = models.into_iter().rev().filter(move |&m| m != champion.0);
        others.take(MAX_PAST).map(ModelId)
    }

    /// Takes over what all games together say.
    fn follow(&mut self, ratings: &RunRatings) {
        for point in self.points.iter_mut().filter(|p| p.results.is_some()) {
            if let Some(rating) = ratings.player(&player_name(ModelId(point.model))) {
                point.elo = rating.elo;
                point.ci95 = rating.ci95;
                point.ci95_on_scale = Some(rating.ci95_on_scale);
            }
        }
    }
}

impl Training {
    /// Rates the champion if its turn has come.
    pub(crate) fn rate(&mut self) -> anyhow::Result<Ended> {
        let section = &self.file.resolved.config.rating;
        if !self
            .state
            .generation
            .is_multiple_of(section.every_generations)
        {
            return Ok(Ended::Complete);
        }
        let pairs = section.pairs;
        self.measure(pairs)?;
        Ok(if self.stop.now() {
            Ended::Stopped
        } else {
            Ended::Complete
        })
    }

    /// Rates the champion with `pairs` pairs of games and notes it; none when told to stop.
    pub(crate) fn measure(&mut self, pairs: usize) -> anyhow::Result<Option<RatingPoint>> {
        let simulations = self.file.resolved.config.rating.simulations;
        let Some(anchors) = anchors::shipped(self.variant) else {
            return Ok(None);
        };
        let champion = self.state.champion;
        let player = self.player_factory(champion, simulations)?;
        let generation = self.state.generation;
        let mut ratings: Ratings = self.run.ratings()?.unwrap_or_default();
        let past = ratings
            .past(champion)
            .map(|id| self.player_factory(id, simulations))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let past_games = ratings.results_before(generation);
        self.display
            .stage(format!("generation {generation}: rating"), pairs as u64);
        let arena = Arena {
            seed: self.stream(RATING_STREAM),
            threads: self.threads,
            pairs_at_once: players::PAIRS_AT_ONCE,
            first_pair: 0,
            adjudication: eval::Adjudication::OFF,
            stop: self.stop.flag(),
        };
        let ladder = Ladder {
            variant: self.variant,
            anchors: &anchors,
            past: &past,
            past_games: &past_games,
            pairs,
            pairs_per_step: self.file.resolved.config.rating.pairs_per_step,
            guess: self.status.rating.map(|rating| rating.elo),
        };
        let display = &mut self.display;
        let mut played = 0;
        let step = climb(&player, &ladder, &arena, &mut |step| {
            played += step.last.pairs_played();
            display.at(played, || {
                let rating = step.rating;
                format!("{:.0} ±{:.0} Elo", rating.elo, rating.ci95_on_scale)
            });
        })?;
        let Some(step) = step.filter(|_| !self.stop.now()) else {
            return Ok(None);
        };
        let mut all_games = past_games;
        all_games.extend(&step.games);
        let point = RatingPoint {
            generation,
            model: champion.0,
            seconds: self.state.seconds,
            elo: step.rating.elo,
            ci95: step.rating.ci95,
            ci95_on_scale: Some(step.rating.ci95_on_scale),
            games: 2 * played,
            results: Some(step.games),
            selfplay_games: Some(self.state.games),
            simulations,
        };
        ratings
            .points
            .retain(|other| other.generation != generation);
        ratings.points.push(point.clone());
        ratings.follow(&RunRatings::new(&anchors, &all_games)?);
        self.note(ratings, &point)?;
        Ok(Some(point))
    }

    /// Writes the ratings, of which `point` is the newest.
    fn note(&mut self, mut ratings: Ratings, point: &RatingPoint) -> anyhow::Result<()> {
        anchors::ZERO.clone_into(&mut ratings.zero);
        self.run.write_ratings(&ratings)?;
        let (elo, interval) = (point.elo, point.interval());
        self.status.rating = Some(RatingStatus {
            model: point.model,
            elo,
            ci95: point.ci95,
            ci95_on_scale: point.ci95_on_scale,
        });
        self.write_metrics(&[
            (Scalar::Elo, elo),
            (Scalar::EloLow, elo - interval),
            (Scalar::EloHigh, elo + interval),
        ])
    }
}
