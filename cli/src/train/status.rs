//! `status.json`: where a run stands, for people and for programs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use eval::EndgameScore;
use selfplay::SelfplayStats;
use serde::{Deserialize, Serialize};
use store::{LoopState, Scalar};

use super::budget::show_duration;

/// The document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Status {
    /// The variant's name.
    pub(crate) variant: String,
    /// Seconds since 1970 when this was written.
    pub(crate) updated_unix: u64,
    /// Whether a process was training when this was written.
    pub(crate) running: bool,
    /// The generation being worked on.
    pub(crate) generation: u32,
    /// The stage that comes next or is under way.
    pub(crate) stage: String,
    /// Training time so far, over all calls, in seconds.
    pub(crate) seconds: f64,
    /// Finished games, their positions, the samples made of them, and optimiser steps.
    pub(crate) games: u64,
    pub(crate) positions: u64,
    pub(crate) samples: u64,
    pub(crate) steps: u64,
    /// Numbers of models.
    pub(crate) newest: u32,
    pub(crate) champion: u32,
    /// The last self-play stage.
    pub(crate) selfplay: Option<SelfplayStatus>,
    /// The last training stage.
    pub(crate) training: Option<TrainingStatus>,
    /// What the newest network knows of endings.
    pub(crate) endgame: Option<EndgameScore>,
    /// The verdict of the last gate, in words.
    pub(crate) gate: Option<String>,
    /// The same in a word or two.
    pub(crate) verdict: Option<String>,
    /// The champion's last rating.
    pub(crate) rating: Option<RatingStatus>,
}

/// Speed and shape of the games of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SelfplayStatus {
    pub(crate) games_per_s: f64,
    pub(crate) positions_per_s: f64,
    pub(crate) evaluations_per_s: f64,
    /// Share of the workers' time inside the network, 0 to 1.
    pub(crate) network_share: f64,
    pub(crate) draw_rate: f64,
    pub(crate) mean_plies: f64,
    pub(crate) truncated: u64,
}

/// Means over a generation's optimiser steps. Losses are in nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrainingStatus {
    pub(crate) steps: u64,
    pub(crate) policy: f64,
    /// What learning could still take off the policy's loss.
    pub(crate) policy_divergence: f64,
    pub(crate) value: f64,
    pub(crate) value_accuracy: f64,
    pub(crate) gradient_norm: f64,
    pub(crate) samples_per_s: f64,
}

/// A rating with its 95 % intervals, as in [`RatingPoint`](super::rating::RatingPoint).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RatingStatus {
    pub(crate) model: u32,
    pub(crate) elo: f64,
    pub(crate) ci95: f64,
    #[serde(default)]
    pub(crate) ci95_on_scale: Option<f64>,
}

impl SelfplayStatus {
    /// Rates of `stats`, which took `elapsed` of wall time.
    pub(crate) fn new(stats: &SelfplayStats, elapsed: Duration) -> Self {
        let seconds = elapsed.as_secs_f64().max(1e-9);
        Self {
            games_per_s: stats.games as f64 / seconds,
            positions_per_s: stats.plies as f64 / seconds,
            evaluations_per_s: stats.evaluations as f64 / seconds,
            network_share: stats.evaluator_share(),
            draw_rate: stats.draw_rate(),
            mean_plies: stats.mean_plies(),
            truncated: stats.truncated,
        }
    }
}

impl SelfplayStatus {
    /// One line for people.
    pub(crate) fn line(&self) -> String {
        format!(
            "{:.1} games/s  {:.1}k evaluations/s  {:.0} plies  {:.0} % drawn",
            self.games_per_s,
            self.evaluations_per_s / 1000.0,
            self.mean_plies,
            100.0 * self.draw_rate,
        )
    }

    /// The curves.
    pub(crate) fn scalars(&self) -> Vec<(Scalar, f64)> {
        vec![
            (Scalar::GamesPerS, self.games_per_s),
            (Scalar::PositionsPerS, self.positions_per_s),
            (Scalar::EvaluationsPerS, self.evaluations_per_s),
            (Scalar::GameLength, self.mean_plies),
            (Scalar::DrawRate, self.draw_rate),
        ]
    }
}

impl TrainingStatus {
    /// One line for people.
    pub(crate) fn line(&self) -> String {
        format!(
            "{:.0} samples/s  loss: policy {:.3} (+{:.3} above its target's entropy) value {:.3}",
            self.samples_per_s, self.policy, self.policy_divergence, self.value,
        )
    }

    /// The curves.
    pub(crate) fn scalars(&self) -> Vec<(Scalar, f64)> {
        vec![
            (Scalar::PolicyLoss, self.policy),
            (Scalar::SearchGain, self.policy_divergence),
            (Scalar::ValueLoss, self.value),
            (Scalar::GradientNorm, self.gradient_norm),
            (Scalar::TrainSamplesPerS, self.samples_per_s),
        ]
    }
}

impl Status {
    /// What a generation brought, in one line.
    pub(crate) fn generation_line(&self) -> String {
        let mut parts = vec![
            format!(
                "{:>7}",
                show_duration(Duration::from_secs_f64(self.seconds))
            ),
            format!("generation {:>3}", self.newest),
            format!("{} games", self.games),
        ];
        if let Some(selfplay) = &self.selfplay {
            parts.push(selfplay.line());
        }
        if let Some(training) = &self.training {
            parts.push(format!(
                "loss {:.3} / {:.3}",
                training.policy, training.value
            ));
        }
        if let Some(verdict) = &self.verdict {
            parts.push(verdict.clone());
        }
        if let Some(rating) = &self.rating {
            let interval = rating.ci95_on_scale.unwrap_or(rating.ci95);
            parts.push(format!("{:.0} \u{b1}{interval:.0} Elo", rating.elo));
        }
        parts.join("  ")
    }

    /// Takes over what the loop's state says.
    pub(crate) fn follow(&mut self, state: &LoopState) {
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

    /// What a person should look at, in words; empty when all is well.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(selfplay) = self.selfplay {
            if selfplay.draw_rate > 0.9 {
                warnings.push(format!(
                    "{:.0} % of the games are drawn: the network may be learning that everything \
                     is a draw",
                    100.0 * selfplay.draw_rate
                ));
            }
            if selfplay.truncated > 0 {
                warnings.push(format!(
                    "{} games hit the ply cap: raise selfplay.max_plies",
                    selfplay.truncated
                ));
            }
        }
        if self.generation > 5 && self.champion == 0 {
            warnings.push(
                "no candidate has beaten the untrained network: training does not work".to_owned(),
            );
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_collapse_is_reported() {
        let mut stats = SelfplayStats {
            games: 100,
            draws: 95,
            ..SelfplayStats::default()
        };
        let mut status = Status {
            selfplay: Some(SelfplayStatus::new(&stats, Duration::from_secs(1))),
            ..Status::default()
        };
        assert_eq!(status.warnings().len(), 1);
        stats.draws = 50;
        status.selfplay = Some(SelfplayStatus::new(&stats, Duration::from_secs(1)));
        assert!(status.warnings().is_empty());
    }
}
