//! Ratings of the champion against the fixed baselines, with fresh games.

use eval::{Arena, Ladder, anchors, climb};
use serde::{Deserialize, Serialize};
use store::Scalar;

use super::generation::{Ended, Training};
use super::status::RatingStatus;
use crate::players;

/// Separates the rating's openings and lots from everything else that the run's seed decides.
const RATING_STREAM: u64 = 0x7261_7465;

/// `ratings.json`: the champion's rating over time.
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
    /// Games played for it.
    pub(crate) games: u64,
    /// Self-play games of the run when it was measured; older runs did not note it.
    #[serde(default)]
    pub(crate) selfplay_games: Option<u64>,
    pub(crate) simulations: u32,
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
        let player = self.entrant(champion, simulations)?;
        let generation = self.state.generation;
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
            pairs,
            pairs_per_step: self.file.resolved.config.rating.pairs_per_step,
            guess: self.status.rating.map(|rating| rating.elo),
        };
        let display = &mut self.display;
        let mut played = 0;
        let step = climb(&player, &ladder, &arena, &mut |step| {
            played += step.last.pairs_played();
            display.at(played, || {
                format!("{:.0} ±{:.0} Elo", step.rating.elo, step.rating.ci95)
            });
        })?;
        let Some(step) = step.filter(|_| !self.stop.now()) else {
            return Ok(None);
        };
        let point = RatingPoint {
            generation,
            model: champion.0,
            seconds: self.state.seconds,
            elo: step.rating.elo,
            ci95: step.rating.ci95,
            games: 2 * played,
            selfplay_games: Some(self.state.games),
            simulations,
        };
        self.note(&point)?;
        Ok(Some(point))
    }

    fn note(&mut self, point: &RatingPoint) -> anyhow::Result<()> {
        let mut ratings: Ratings = self.run.ratings()?.unwrap_or_default();
        anchors::ZERO.clone_into(&mut ratings.zero);
        ratings
            .points
            .retain(|other| other.generation != point.generation);
        ratings.points.push(point.clone());
        self.run.write_ratings(&ratings)?;
        let (elo, ci95) = (point.elo, point.ci95);
        self.status.rating = Some(RatingStatus {
            model: point.model,
            elo,
            ci95,
        });
        self.write_metrics(&[
            (Scalar::Elo, elo),
            (Scalar::EloLow, elo - ci95),
            (Scalar::EloHigh, elo + ci95),
        ])
    }
}
