//! Means over the optimiser steps of a training stage.

use std::collections::BTreeMap;
use std::time::Duration;

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
    divergence: f64,
    accuracy: f64,
    losses: BTreeMap<&'static str, f64>,
}

impl StepSums {
    /// No steps yet, on this window in this generation.
    pub(crate) fn new(window: &ReplayWindow, generation: u32) -> StepSums {
        StepSums {
            window_samples: window.len() as u64,
            window_age: window.mean_age(generation),
            ..StepSums::default()
        }
    }

    /// Adds a step. Of one that was skipped only the number counts.
    pub(crate) fn add(&mut self, report: &StepReport, config: &TrainConfig) {
        self.steps += 1;
        self.learning_rate = report.learning_rate.into();
        if report.skipped {
            self.skipped += 1;
            return;
        }
        self.clipped += u64::from(report.gradient_norm > f64::from(config.gradient_clip));
        self.norm += report.gradient_norm;
        self.divergence += report.losses.policy_divergence;
        self.accuracy += report.losses.value_accuracy;
        for (name, loss) in by_head(&report.losses, config) {
            *self.losses.entry(name).or_default() += loss;
        }
    }

    /// The curves after `elapsed`.
    pub(crate) fn metrics(&self, config: &TrainConfig, elapsed: Duration) -> TrainMetrics {
        let made = (self.steps - self.skipped).max(1) as f64;
        let losses: BTreeMap<String, f64> = self
            .losses
            .iter()
            .map(|(name, sum)| ((*name).to_owned(), sum / made))
            .collect();
        let divergence = self.divergence / made;
        TrainMetrics {
            steps: self.steps,
            skipped: self.skipped,
            clipped_share: self.clipped as f64 / made,
            gradient_norm: self.norm / made,
            learning_rate: self.learning_rate,
            samples_per_s: self.steps as f64 * config.batch_size as f64
                / elapsed.as_secs_f64().max(1e-9),
            policy_divergence: divergence,
            target_entropy: losses.get("policy").copied().unwrap_or(0.0) - divergence,
            value_accuracy: self.accuracy / made,
            window_samples: self.window_samples,
            window_age: self.window_age,
            losses,
        }
    }
}

/// The losses of a step by the names of their heads, and their weighted sum.
fn by_head(losses: &Losses, config: &TrainConfig) -> [(&'static str, f64); 4] {
    [
        ("policy", losses.policy),
        ("soft_policy", losses.soft_policy),
        ("value", losses.value),
        ("total", losses.total(config)),
    ]
}
