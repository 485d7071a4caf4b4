//! Settings of distillation.

use serde::{Deserialize, Serialize};

/// How an evaluation is learnt.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Seeds the first weights and the choice of batches.
    pub seed: u64,
    /// Share of the searched value in the target; the rest is the game's result.
    pub value_share: f32,
    /// How far rare phases are made up for: each bucket's examples weigh `(mean / number)^power` of the
    /// number of examples of a bucket.
    pub phase_power: f32,
    /// Every how manieth game is held out.
    pub held_out_every: u32,
    /// Examples of a step.
    pub batch: usize,
    /// Steps in all.
    pub steps: u64,
    /// The learning rate after the first steps; it falls to nearly nothing along a cosine.
    pub learning_rate: f32,
    /// Share of each weight that is taken off at the full learning rate of 1.
    pub weight_decay: f32,
}

impl Config {
    /// For a run of an hour or so, in ten minutes.
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

    /// The learning rate of a step: a linear beginning over a hundredth of all steps, then a cosine down
    /// to a hundredth.
    pub(crate) fn learning_rate_at(&self, step: u64) -> f32 {
        let share = (step as f32 + 1.0) / self.steps as f32;
        let warm_up = (share * 100.0).min(1.0);
        let cosine = 0.5 * (1.0 + libm::cosf(std::f32::consts::PI * share.min(1.0)));
        self.learning_rate * warm_up * (0.01 + 0.99 * cosine)
    }
}
