//! Means over the optimizer steps of a training stage.

use std::collections::BTreeMap;
use std::time::Duration;

use model::HeadId;
use model::backend::StepSums;
use store::ReplayWindow;
use trainer::TrainConfig;

use super::TrainMetrics;

/// The steps so far, with the window that they learn from.
pub(crate) struct TrainSums {
    window_samples: u64,
    window_age: f64,
    learning_rate: f64,
    steps: StepSums,
}

impl TrainSums {
    /// No steps yet, for this window and generation.
    pub(crate) fn new(window: &ReplayWindow, generation: u32) -> TrainSums {
        TrainSums {
            window_samples: window.len() as u64,
            window_age: window.mean_age(generation),
            learning_rate: 0.0,
            steps: StepSums::default(),
        }
    }

    /// Adds steps; the learning rate is that of the last one.
    pub(crate) fn add(&mut self, steps: &StepSums, learning_rate: f32) {
        self.steps.add(steps);
        self.learning_rate = learning_rate.into();
    }

    /// The curves after `elapsed`.
    pub(crate) fn metrics(&self, config: &TrainConfig, elapsed: Duration) -> TrainMetrics {
        let steps = &self.steps;
        let made = steps.n_made();
        let means = steps.losses.scaled(1.0 / made);
        TrainMetrics {
            steps: steps.n_steps,
            skipped: steps.n_skipped,
            clipped_share: steps.n_clipped as f64 / made,
            gradient_norm: steps.gradient_norm / made,
            learning_rate: self.learning_rate,
            samples_per_s: steps.n_steps as f64 * config.batch_size as f64
                / elapsed.as_secs_f64().max(1e-9),
            policy_divergence: means.policy_divergence,
            target_entropy: means.heads[HeadId::POLICY] - means.policy_divergence,
            value_accuracy: means.value_accuracy,
            window_samples: self.window_samples,
            window_age: self.window_age,
            losses: mean_losses(steps, config),
        }
    }
}

/// The mean loss of each head by its name, and `total`.
pub(crate) fn mean_losses(steps: &StepSums, config: &TrainConfig) -> BTreeMap<String, f64> {
    let means = steps.losses.scaled(1.0 / steps.n_made());
    let weights = config.loss_weights();
    let trained = means.heads.iter().filter(|(_, loss)| **loss != 0.0);
    let by_name = trained.map(|(head, loss)| (head.row().name.to_owned(), *loss));
    let total = ("total".to_owned(), means.total(&weights));
    by_name.chain([total]).collect()
}
