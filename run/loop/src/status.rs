//! `status.json`: the state of a run, for people and programs.

use std::time::{SystemTime, UNIX_EPOCH};

use eval::EndgameScore;
use ratings::DirectScore;
use serde::{Deserialize, Serialize};
use store::LoopState;

use crate::metrics::{SelfplayMetrics, TrainMetrics};
use crate::{Event, RatingPoint, Result, Run, RunObserver};

/// Content of `status.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// The variant's name.
    pub variant: String,
    /// Unix time of the last write, in seconds.
    pub updated_unix: u64,
    /// `true` while a process is training.
    pub running: bool,
    /// `true` if the last process was killed, set by [`RunDir::status`](store::RunDir::status).
    pub interrupted: bool,
    /// The generation in progress.
    pub generation: u32,
    /// The current or next stage.
    pub stage: String,
    /// Total training time over all calls, in seconds.
    pub seconds: f64,
    /// Finished games.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Samples from these positions.
    pub samples: u64,
    /// Optimizer steps.
    pub steps: u64,
    /// Number of the newest model.
    pub newest: u32,
    /// Number of the champion.
    pub champion: u32,
    /// Curves of the last self-play stage.
    pub selfplay: Option<SelfplayMetrics>,
    /// Curves of the last training stage.
    pub training: Option<TrainMetrics>,
    /// Endgame measurement of the newest network.
    pub endgame: Option<EndgameScore>,
    /// The verdict of the last gate, as a sentence.
    pub gate: Option<String>,
    /// The verdict of this generation's gate in a word or two.
    pub verdict: Option<String>,
    /// The champion's last rating.
    pub rating: Option<RatingStatus>,
}

/// A rating with its 95 % intervals, as in [`RatingPoint`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingStatus {
    /// The champion's number.
    pub model: u32,
    /// Elo above `random`.
    pub elo: f64,
    /// Half-width of the interval.
    pub ci95: f64,
    /// Half-width with the baselines' ratings taken as exact.
    #[serde(default)]
    pub ci95_on_scale: Option<f64>,
    /// Score against the nearest baseline it played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<DirectScore>,
}

impl From<&RatingPoint> for RatingStatus {
    fn from(point: &RatingPoint) -> RatingStatus {
        RatingStatus {
            model: point.model,
            elo: point.elo,
            ci95: point.ci95,
            ci95_on_scale: point.ci95_on_scale,
            direct: point.direct.clone(),
        }
    }
}

/// An observer that keeps `status.json` up to date.
#[derive(Clone, Debug)]
pub struct StatusFile {
    status: Status,
}

impl StatusFile {
    /// Continues the status of the run's last process, as far as it can be read.
    #[must_use]
    pub fn open(run: &Run) -> StatusFile {
        let status = run.dir().status().unwrap_or_else(|error| {
            tracing::warn!(%error, "status.json will be rewritten");
            None
        });
        let status = status.unwrap_or_else(|| Status {
            variant: run.variant().name().to_owned(),
            ..Status::default()
        });
        StatusFile { status }
    }

    /// The current status.
    #[must_use]
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Records that the run is no longer being trained.
    pub fn close(&mut self, run: &Run) {
        self.write(run, false);
    }

    /// Training continues if the file cannot be written: it is for information only.
    fn write(&mut self, run: &Run, running: bool) {
        self.status.running = running;
        self.status.follow(run.state());
        if let Err(error) = run.dir.write_status(&self.status) {
            tracing::warn!(%error, "status.json is out of date");
        }
    }
}

impl RunObserver for StatusFile {
    fn observe(&mut self, run: &Run, event: &Event<'_>) -> Result<()> {
        self.status.note(event);
        if let Event::StageStarted = event {
            self.write(run, true);
        }
        Ok(())
    }
}

impl Status {
    /// Records the result of a stage.
    pub fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Played(metrics) => {
                self.selfplay = Some((*metrics).clone());
                self.verdict = None;
            }
            Event::Trained(metrics) => self.training = Some((*metrics).clone()),
            Event::Measured(score) => self.endgame = Some(**score),
            Event::Gated(report) => {
                self.gate = Some(report.sentence.clone());
                self.verdict = Some(report.verdict.to_string());
            }
            Event::Rated(point) => self.rating = Some((*point).into()),
            _ => {}
        }
    }

    /// Copies the progress from the loop state.
    pub fn follow(&mut self, state: &LoopState) {
        self.updated_unix = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        self.generation = state.generation;
        self.stage = format!("{:?}", state.next).to_lowercase();
        self.seconds = state.seconds;
        self.games = state.games;
        self.positions = state.positions;
        self.samples = state.samples;
        self.steps = state.step;
        self.newest = state.newest.0;
        self.champion = state.champion.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_earlier_versions_are_read() {
        let text = r#"{"variant":"thai","steps":9,"selfplay":{"games_per_s":2.5,"truncated":3},
            "training":{"steps":9,"policy":1.5,"policy_divergence":0.25}}"#;
        let status: Status = serde_json::from_str(text).unwrap();
        assert_eq!(status.selfplay.unwrap().truncated, 3);
        assert_eq!(status.training.unwrap().policy_divergence, 0.25);
    }

    #[test]
    fn a_verdict_is_of_its_generation() {
        let text = r#"{"variant":"thai","selfplay":{"games_per_s":2.5},"verdict":"better"}"#;
        let mut status: Status = serde_json::from_str(text).unwrap();
        let played = status.selfplay.clone().unwrap();
        status.note(&Event::Played(&played));
        assert_eq!(status.verdict, None);
    }
}
