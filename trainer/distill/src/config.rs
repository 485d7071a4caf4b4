//! Settings of distillation.

use serde::{Deserialize, Serialize};

/// Settings of distillation.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The seed of the initial weights and of the choice of batches.
    pub seed: u64,
    /// The share of the searched value in the target; the rest is the game's result.
    pub value_share: f32,
    /// The compensation for rare phases: examples of a bucket have the weight
    /// `(mean / number)^power`, where `number` is the number of the bucket's examples.
    pub phase_power: f32,
    /// One of this many games is held out.
    pub held_out_every: u32,
    /// Examples per step.
    pub batch: usize,
    /// The total number of steps.
    pub steps: u64,
    /// The learning rate after warm-up; it decays along a cosine.
    pub learning_rate: f32,
    /// The weight decay, relative to a learning rate of 1.
    pub weight_decay: f32,
}

impl Config {
    /// Suitable for a run of about an hour; takes ten minutes.
    pub const DEFAULT: Config = Config {
        seed: 1,
        value_share: 0.7,
        phase_power: 0.5,
        held_out_every: 20,
        batch: 8_192,
        steps: 20_000,
        learning_rate: 2e-3,
        weight_decay: 1e-4,
    };

    /// The learning rate of a step: linear warm-up over 1 % of all steps, then a cosine down to 1
    /// %.
    pub(crate) fn learning_rate_at(&self, step: u64) -> f32 {
        let share = (step as f32 + 1.0) / self.steps as f32;
        let warm_up = (share * 100.0).min(1.0);
        let cosine = 0.5 * (1.0 + libm::cosf(std::f32::consts::PI * share.min(1.0)));
        self.learning_rate * warm_up * (0.01 + 0.99 * cosine)
    }
}
