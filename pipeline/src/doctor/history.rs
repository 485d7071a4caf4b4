//! What a run has recorded, as the checks want it.

use std::collections::BTreeMap;

use eval::{GateReport, Verdict};
use store::{LoopState, RunDir};

use super::ValueScores;
use crate::config::RunFile;
use crate::{Ratings, Result};

/// Generations that are judged together.
const RECENT: usize = 5;
/// Gates that are judged together, at most.
const RECENT_GATES: usize = 20;

/// What a run has recorded.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The points of each curve by its tag, oldest first.
    pub curves: BTreeMap<String, Vec<f64>>,
    /// The verdicts of the last gates.
    pub gates: Vec<Verdict>,
    /// Ratings of the champions, in Elo, oldest first.
    pub ratings: Vec<f64>,
    /// Finished generations.
    pub generations: u32,
    /// The number of the champion.
    pub champion: u32,
    /// `train.gradient_clip`, where it is known.
    pub gradient_clip: Option<f64>,
    /// `selfplay.games_per_generation`.
    pub games_per_generation: u32,
    /// How well the newest games' values predict their results, if they were looked at.
    pub values: Option<ValueScores>,
}

impl History {
    /// Reads it, but for the games.
    ///
    /// # Errors
    /// When there is no run or a file cannot be read.
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
        let state = run.state()?.unwrap_or_else(LoopState::start);
        let file = RunFile::parse("run.toml", &run.config()?)?;
        let config = &file.resolved.config;
        Ok(History {
            curves,
            gates,
            ratings: ratings.points.iter().map(|point| point.elo).collect(),
            generations: state.generation - 1,
            champion: state.champion.0,
            gradient_clip: Some(config.train.gradient_clip.into()),
            games_per_generation: config.selfplay.games_per_generation,
            values: None,
        })
    }

    /// All points of a curve.
    pub(super) fn points(&self, tag: &str) -> &[f64] {
        self.curves.get(tag).map_or(&[], |points| &points[..])
    }

    /// The last point of a curve.
    pub(super) fn last(&self, tag: &str) -> Option<f64> {
        self.points(tag).last().copied()
    }

    /// The mean of a curve's last points, if there are enough of them.
    pub(super) fn recent(&self, tag: &str) -> Option<f64> {
        let points = self.points(tag);
        mean(&points[points.len().checked_sub(RECENT)?..])
    }
}

/// The mean; nothing of no numbers.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
