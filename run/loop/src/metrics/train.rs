//! Means over the optimizer steps of a training stage.

use std::collections::BTreeMap;
use std::time::Duration;

use model::HeadId;
use store::ReplayWindow;
use trainer::{Losses, StepReport, TrainConfig};

use super::TrainMetrics;

/// Sums over the steps so far.
#[derive(Debug, Default)]
pub(crate) struct StepSums {
    window_samples: u64,
    window_age: f64,
    steps: u64,
    skipped: u64,
    clipped: u64,
    norm: f64,
    learning_rate: f64,
    losses: Losses,
}

impl StepSums {
    /// Empty sums for this window and generation.
    pub(crate) fn new(window: &ReplayWindow, generation: u32) -> StepSums {
        StepSums {
            window_samples: window.len() as u64,
            window_age: window.mean_age(generation),
            ..StepSums::default()
        }
    }

    /// Adds the steps of a report. Skipped steps are only counted.
    pub(crate) fn add(&mut self, report: &StepReport) {
        let made = (report.n_steps - report.n_skipped) as f64;
        self.steps += report.n_steps;
        self.skipped += report.n_skipped;
        self.clipped += report.n_clipped;
        self.learning_rate = report.learning_rate.into();
        self.norm += made * report.gradient_norm;
        self.losses.add(&report.losses.scaled(made));
    }

    /// The curves after `elapsed`.
    pub(crate) fn metrics(&self, config: &TrainConfig, elapsed: Duration) -> TrainMetrics {
        let made = self.made();
        let means = self.losses.scaled(1.0 / made);
        TrainMetrics {
            steps: self.steps,
            skipped: self.skipped,
            clipped_share: self.clipped as f64 / made,
            gradient_norm: self.norm / made,
            learning_rate: self.learning_rate,
            samples_per_s: self.steps as f64 * config.batch_size as f64
                / elapsed.as_secs_f64().max(1e-9),
            policy_divergence: means.policy_divergence,
            target_entropy: means.heads[HeadId::POLICY] - means.policy_divergence,
            value_accuracy: means.value_accuracy,
            window_samples: self.window_samples,
            window_age: self.window_age,
            losses: self.mean_losses(config),
        }
    }

    /// The mean loss of each head by its name, and `total`.
    pub(crate) fn mean_losses(&self, config: &TrainConfig) -> BTreeMap<String, f64> {
        let means = self.losses.scaled(1.0 / self.made());
        let weights = config.loss_weights();
        let trained = means.heads.iter().filter(|(_, loss)| **loss != 0.0);
        let by_name = trained.map(|(head, loss)| (head.row().name.to_owned(), *loss));
        let total = ("total".to_owned(), means.total(&weights));
        by_name.chain([total]).collect()
    }

    /// Steps so far, skipped ones among them.
    pub(crate) fn n_steps(&self) -> u64 {
        self.steps
    }

    /// Steps that means are over, at least one.
    fn made(&self) -> f64 {
        (self.steps - self.skipped).max(1) as f64
    }
}
