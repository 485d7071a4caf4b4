//! The records of a run in the form that the checks need.

use std::collections::BTreeMap;

use eval::{GateReport, Verdict};
use store::{LoopState, RunDir};
use types::mean;

use super::values::{Estimate, ValueScores};
use crate::Result;
use run::config::RunFile;
use run::{RatingPoint, Ratings, Tag, Validation};

/// Number of generations to judge together.
const RECENT: usize = 5;
/// Minimum and maximum number of measurements of overfitting to judge together.
const GAPS: (usize, usize) = (4, 8);
/// Maximum number of gates to judge together.
const RECENT_GATES: usize = 20;

/// Records of a run.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The points of each curve by tag, oldest first.
    pub curves: BTreeMap<String, Vec<f64>>,
    /// The verdicts of the last gates.
    pub gates: Vec<Verdict>,
    /// Ratings of the champions, in Elo, oldest first.
    pub ratings: Vec<f64>,
    /// Half-widths of their 95 % intervals.
    pub rating_intervals: Vec<f64>,
    /// Finished generations.
    pub generations: u32,
    /// Seconds of training.
    pub seconds: f64,
    /// The number of the champion.
    pub champion: u32,
    /// `train.gradient_clip`, where it is known.
    pub gradient_clip: Option<f64>,
    /// `selfplay.games_per_generation`.
    pub games_per_generation: u32,
    /// Accuracy of the values in the newest games, if the games were read.
    pub values: Option<ValueScores>,
}

impl History {
    /// Reads the records, except the games.
    ///
    /// # Errors
    /// If there is no run or a file cannot be read.
    pub fn read(run: &RunDir) -> Result<History> {
        let mut curves: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for line in run.metrics()? {
            for (tag, value) in line.values {
                curves.entry(tag).or_default().extend(value);
            }
        }
        let mut gates = Vec::new();
        for model in run.models()?.into_iter().rev().take(RECENT_GATES) {
            gates.extend(run.gate::<GateReport>(model)?.map(|report| report.verdict));
        }
        let ratings: Ratings = run.ratings()?.unwrap_or_default();
        let intervals = ratings.points.iter().map(RatingPoint::interval);
        let state = run.state()?.unwrap_or_else(LoopState::start);
        let file = RunFile::read(run)?;
        let config = &file.resolved.config;
        Ok(History {
            curves,
            gates,
            ratings: ratings.points.iter().map(|point| point.elo).collect(),
            rating_intervals: intervals.collect(),
            generations: state.generation.saturating_sub(1),
            seconds: state.seconds,
            champion: state.champion.0,
            gradient_clip: Some(config.train.gradient_clip.into()),
            games_per_generation: config.selfplay.games_per_generation,
            values: None,
        })
    }

    /// Difference between the last third of the ratings and the third before, with the half-width
    /// of a 95 % interval; `None` for fewer than three ratings.
    pub(super) fn gain(&self) -> Option<Gain> {
        let third = self.ratings.len() / 3;
        let last_thirds = |values: &[f64]| {
            let (_, values) = values.split_at_checked(values.len().checked_sub(2 * third)?)?;
            let (before, last) = values.split_at(third);
            Some((mean(before)?, mean(last)?))
        };
        let (before, last) = last_thirds(&self.ratings)?;
        let squares: Vec<f64> = self.rating_intervals.iter().map(|ci| ci * ci).collect();
        let variance = last_thirds(&squares).map_or(0.0, |(before, last)| before + last);
        Some(Gain {
            mean: last - before,
            interval: (variance / third as f64).sqrt(),
        })
    }

    /// All points of a curve.
    pub(super) fn points(&self, tag: Tag) -> &[f64] {
        self.curves
            .get(tag.name())
            .map_or(&[], |points| &points[..])
    }

    /// The last point of a curve.
    pub(super) fn last(&self, tag: Tag) -> Option<f64> {
        self.points(tag).last().copied()
    }

    /// The excess of one curve of [`Validation`] over another, from as many of the newest
    /// measurements as share no games; `None` if these are too few.
    pub(super) fn gap(&self, higher: Tag, lower: Tag) -> Option<Estimate> {
        let newest = |tag| self.points(tag).iter().rev();
        let gaps = newest(higher).zip(newest(lower)).map(|(a, b)| a - b);
        let apart: Vec<f64> = gaps.step_by(Validation::GENERATIONS).take(GAPS.1).collect();
        (apart.len() >= GAPS.0).then(|| Estimate::of_numbers(&apart))
    }

    /// The mean of a curve's last points, if there are enough of them.
    pub(super) fn recent(&self, tag: Tag) -> Option<f64> {
        let points = self.points(tag);
        mean(&points[points.len().checked_sub(RECENT)?..])
    }
}

/// The gain in ratings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gain {
    /// In Elo.
    pub(super) mean: f64,
    /// Half-width of its 95 % interval.
    pub(super) interval: f64,
}
