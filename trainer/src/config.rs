//! Settings of training.

use model::{HeadId, Optimizer, PerHead, StepPrecision};
use serde::{Deserialize, Serialize};
use settings::settings;

use crate::TrainError;

settings! {
    /// Training. Steps are optimizer steps, never seconds: the same seed gives the same weights on
    /// slow and fast machines that use the same precision.
    pub struct TrainConfig {
        /// Device for training steps; same is the device of self-play. A GPU can train large
        /// networks faster than a processor even if the processor plays faster.
        device: String = "same".to_owned(), one_of(&["same", "cpu", "flex", "wgpu", "cuda"]);
        /// Numeric precision of products in convolutions; sums and weights have 32 bits. bf16 needs
        /// a processor with AVX-512 BF16 and takes two thirds of the time; others fall back to f32,
        /// and GPUs without bf16 use f16 with a scaled loss. Only f32 gives the same weights on all
        /// processors with FMA or NEON.
        precision: StepPrecision = StepPrecision::Bf16, one_of(StepPrecision::NAMES), formerly(&"f32"), may_change();
        /// Positions per step. KataGo: 256.
        batch_size: usize = 256, range(1, 65_536), may_change();
        /// Mean number of times that each new position is trained on; at equal time, 2 is stronger
        /// than 4 and than 1 (RESULTS.md). KataGo: 4.
        samples_per_position: f64 = 2.0, range(0.01, 100), may_change();
        /// Optimizer. muon updates the matrices between hidden layers along orthogonal matrices and
        /// everything else like adamw (Jordan et al. 2024; RESULTS.md).
        optimiser: Optimizer = Optimizer::Muon, one_of(Optimizer::NAMES), may_change();
        /// Learning rate after the warm-up.
        learning_rate: f32 = 0.002, range(0.0000001, 1), may_change();
        /// Steps of linear warm-up from 0.
        warmup_steps: u64 = 200, range(0, 1_000_000), may_change();
        /// Steps after which the learning rate has decayed to 1/sqrt(2) of its peak: it is
        /// learning_rate / sqrt(1 + step / decay_steps). 0 disables decay.
        decay_steps: u64 = 20_000, range(0, 1_000_000_000), may_change();
        /// Steps after which steps are small: three tenths of the learning rate, and an average of
        /// the weights that reaches back four times as far; after half an hour of english both gain
        /// (RESULTS.md). 0 never makes them small.
        small_after_steps: u64 = 100_000, range(0, 1_000_000_000), formerly(&0_u64), may_change();
        /// Decoupled weight decay; 0.01, as Loshchilov and Hutter have it, is weaker after half an
        /// hour, and 0.3 is too much (RESULTS.md).
        weight_decay: f32 = 0.1, range(0, 1), may_change();
        /// Maximum norm of the gradient; longer gradients are clipped.
        gradient_clip: f32 = 1.0, range(0.001, 1000), may_change();
        /// Decay per step of the averaged weights, which are used for play.
        ema_decay: f32 = 0.998, range(0, 0.999999), may_change();
        /// Weight of the value loss relative to the policy loss. AlphaZero: 1.
        value_weight: f32 = 1.0, range(0, 100);
        /// Weight of predicting the softened policy, p^(1/4), which helps to train the trunk.
        /// KataGo: 8.
        soft_policy_weight: f32 = 1.0, range(0, 100);
        /// Share of the searched root value in the value target; the rest is the game's result.
        /// AlphaZero: 0.
        value_root_fraction: f32 = 0.7, range(0, 1), may_change();
        /// Steps over which that share grows linearly from 0: the first searches know no more than
        /// the network, so they teach it nothing. 0 uses the whole share from the start.
        value_root_steps: u64 = 4000, range(0, 1_000_000_000), may_change();
        /// Steps between two reads of the losses from a device, since each read waits for the
        /// device. The processor reports every step.
        steps_between_reports: u64 = 20, range(1, 100_000), may_change();
    }
}

/// The share of the learning rate in small steps.
const SMALL: f64 = 0.3;

/// The span of the averaged weights in small steps, relative to the others.
#[cfg(any(feature = "train", test))]
const LONG: f32 = 4.0;

/// A point in training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepsAt {
    /// Optimizer steps completed.
    pub step: u64,
    /// Samples seen.
    pub samples: u64,
}

impl TrainConfig {
    /// The settings that determine how many steps the samples allow.
    pub const SET_STEPS: [&str; 2] = ["samples_per_position", "batch_size"];

    /// Checks every setting and reports all faults together.
    ///
    /// # Errors
    /// [`TrainError::Config`] if the settings are invalid.
    pub fn validate(&self) -> Result<(), TrainError> {
        let faults = self.faults();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(TrainError::Config {
                faults: faults.join("; "),
            })
        }
    }

    /// The device that computes training steps when self-play uses `play`.
    pub fn device_beside<'a>(&'a self, play: &'a str) -> &'a str {
        match self.device.as_str() {
            "same" => play,
            device => device,
        }
    }

    /// The weight of a head's loss.
    pub(crate) fn loss_weight(&self, head: HeadId) -> f32 {
        match head.row().weight_key {
            None => 1.0,
            Some("value_weight") => self.value_weight,
            Some("soft_policy_weight") => self.soft_policy_weight,
            Some(key) => unreachable!("no setting `train.{key}`"),
        }
    }

    /// The weights of the heads' losses in the total loss.
    pub fn loss_weights(&self) -> PerHead<f32> {
        PerHead::new(|head| self.loss_weight(head))
    }

    /// The step that a number of samples allows, so that each is drawn as often as configured.
    /// `since` is the point from which the settings of [`TrainConfig::SET_STEPS`] apply.
    pub fn steps_allowed(&self, samples: u64, since: StepsAt) -> u64 {
        let drawn = samples.saturating_sub(since.samples) as f64 * self.samples_per_position;
        since.step + (drawn / self.batch_size as f64) as u64
    }

    /// The learning rate of step number `step`, counted from 0.
    pub fn learning_rate_at(&self, step: u64) -> f32 {
        let warmup = if step < self.warmup_steps {
            (step + 1) as f64 / self.warmup_steps as f64
        } else {
            1.0
        };
        let decay = match self.decay_steps {
            0 => 1.0,
            decay_steps => (1.0 + step as f64 / decay_steps as f64).sqrt().recip(),
        };
        let small = if self.is_small(step) { SMALL } else { 1.0 };
        (f64::from(self.learning_rate) * warmup * decay * small) as f32
    }

    /// The decay of the averaged weights in step number `step`.
    #[cfg(any(feature = "train", test))]
    pub(crate) fn ema_decay_at(&self, step: u64) -> f32 {
        if self.is_small(step) {
            1.0 - (1.0 - self.ema_decay) / LONG
        } else {
            self.ema_decay
        }
    }

    fn is_small(&self, step: u64) -> bool {
        self.small_after_steps > 0 && step >= self.small_after_steps
    }

    /// The share of the searched root value in the value target of step number `step`.
    #[cfg(any(feature = "train", test))]
    pub(crate) fn value_root_fraction_at(&self, step: u64) -> f32 {
        if step < self.value_root_steps {
            (f64::from(self.value_root_fraction) * step as f64 / self.value_root_steps as f64)
                as f32
        } else {
            self.value_root_fraction
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixtures;

    #[test]
    fn learning_rate_rises_and_falls() {
        let mut config = fixtures::config();
        config.learning_rate = 0.8;
        config.warmup_steps = 4;
        assert_eq!(config.learning_rate_at(0), 0.2);
        assert_eq!(config.learning_rate_at(3), 0.8);
        assert_eq!(config.learning_rate_at(1_000_000), 0.8);
        config.decay_steps = 100;
        assert_eq!(config.learning_rate_at(300), 0.4);
    }

    #[test]
    fn late_steps_are_small() {
        let mut config = fixtures::config();
        (config.learning_rate, config.ema_decay) = (0.5, 0.75);
        assert_eq!(config.small_after_steps, 0);
        assert_eq!(config.ema_decay_at(1_000_000), 0.75);
        config.small_after_steps = 100;
        assert_eq!(
            [99, 100].map(|step| config.ema_decay_at(step)),
            [0.75, 0.9375]
        );
        assert_eq!(
            [99, 100].map(|step| config.learning_rate_at(step)),
            [0.5, 0.15]
        );
    }

    #[test]
    fn the_share_of_the_searched_value_grows() {
        let mut config = fixtures::config();
        (config.value_root_fraction, config.value_root_steps) = (0.5, 100);
        assert_eq!(
            [0, 50, 100, 101].map(|step| config.value_root_fraction_at(step)),
            [0.0, 0.25, 0.5, 0.5]
        );
        config.value_root_steps = 0;
        assert_eq!(config.value_root_fraction_at(0), 0.5);
    }

    #[test]
    fn steps_follow_the_samples_since_the_settings_hold() {
        let mut config = fixtures::config();
        (config.samples_per_position, config.batch_size) = (2.0, 8);
        let since = StepsAt {
            step: 10,
            samples: 100,
        };
        let steps = [0, 100, 103, 104, 500].map(|samples| config.steps_allowed(samples, since));
        assert_eq!(steps, [10, 10, 10, 11, 110]);
    }

    #[test]
    fn every_head_has_its_weight() {
        let mut config = fixtures::config();
        config.soft_policy_weight = 0.125;
        config.value_weight = 0.5;
        let weights = config.loss_weights();
        assert_eq!(weights[HeadId::POLICY], 1.0);
        assert_eq!(weights[HeadId::VALUE], 0.5);
        assert_eq!(weights[HeadId::named("soft_policy").unwrap()], 0.125);
    }

    #[test]
    fn faults_are_named_together() {
        let mut config = fixtures::config();
        config.validate().unwrap();
        config.learning_rate = f32::NAN;
        config.ema_decay = 1.0;
        config.value_root_fraction = -0.5;
        let error = config.validate().unwrap_err().to_string();
        for key in ["learning_rate", "ema_decay", "value_root_fraction"] {
            assert!(error.contains(key), "{error}");
        }
    }
}
