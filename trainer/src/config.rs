//! How training is done.

use serde::{Deserialize, Serialize};

use crate::TrainError;

/// Settings of a training run. Steps are optimiser steps, never seconds: the same seed gives the
/// same weights on a slow and on a fast machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Samples a step, 1 or more. KataGo and AlphaZero: 256 and 4096.
    pub batch_size: usize,
    /// Peak learning rate of AdamW, above 0.
    pub learning_rate: f32,
    /// Steps over which the learning rate rises linearly from 0 to its peak.
    pub warmup_steps: u64,
    /// Steps after which the learning rate has fallen to 1/sqrt(2) of its peak: it is
    /// `peak / sqrt(1 + step / decay_steps)`. 0 keeps it at its peak.
    pub decay_steps: u64,
    /// Pull of the weight matrices towards zero, per step and unit of learning rate, 0 or more;
    /// biases and the board's and the globals' embeddings are free. AdamW's lambda, paper 0.01.
    pub weight_decay: f32,
    /// Longest gradient, in the Euclidean norm over all parameters; longer ones are shortened to
    /// it. Above 0.
    pub gradient_clip: f32,
    /// Decay of the averaged weights per step, from 0 and below 1: about 1 / (1 - decay) steps count.
    pub ema_decay: f32,
    /// Share of the search's root value in the value target, from 0 to 1; the rest is the game's
    /// result. AlphaZero 0; lc0 calls it the q ratio.
    pub value_root_fraction: f32,
    /// Weight of the value's cross-entropy, 0 or more; the policy's is 1. KataGo 0.6 to 1.5.
    pub value_weight: f32,
    /// Weight of the softened policy target's cross-entropy, 0 or more; 0 leaves the head out.
    /// KataGo 8 for targets to the power of 1/4.
    pub soft_policy_weight: f32,
    /// Weight of the cross-entropy for each short horizon of the value, 0 or more; 0 leaves the
    /// head out. KataGo 0.6.
    pub short_value_weight: f32,
    /// Short horizons that the samples have values for: as many as the replay window has.
    pub n_short_values: usize,
}

impl TrainConfig {
    /// Checks every field and names all faults at once.
    ///
    /// # Errors
    /// [`TrainError::Config`] when training cannot be done so.
    pub fn validate(&self) -> Result<(), TrainError> {
        let positive = 0.0..f32::INFINITY;
        let mut faults = Vec::new();
        if self.batch_size == 0 {
            faults.push("batch_size is 0, not 1 or more".to_owned());
        }
        for (name, value) in [
            ("learning_rate", self.learning_rate),
            ("gradient_clip", self.gradient_clip),
        ] {
            if !(positive.contains(&value) && value > 0.0) {
                faults.push(format!("{name} is {value}, not above 0"));
            }
        }
        for (name, value) in [
            ("weight_decay", self.weight_decay),
            ("value_weight", self.value_weight),
            ("soft_policy_weight", self.soft_policy_weight),
            ("short_value_weight", self.short_value_weight),
        ] {
            if !positive.contains(&value) {
                faults.push(format!("{name} is {value}, not 0 or more"));
            }
        }
        for (name, value) in [
            ("ema_decay", self.ema_decay),
            ("value_root_fraction", self.value_root_fraction),
        ] {
            if !(0.0..=1.0).contains(&value) {
                faults.push(format!("{name} is {value}, not from 0 to 1"));
            }
        }
        if self.ema_decay == 1.0 {
            faults.push("ema_decay is 1, so the averaged weights would never change".to_owned());
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(TrainError::Config {
                faults: faults.join("; "),
            })
        }
    }

    /// Short horizons that are trained.
    pub(crate) fn trained_short_values(&self) -> usize {
        if self.short_value_weight > 0.0 {
            self.n_short_values
        } else {
            0
        }
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
        (f64::from(self.learning_rate) * warmup * decay) as f32
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures;

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
    fn faults_are_named_together() {
        let mut config = fixtures::config();
        config.validate().unwrap();
        config.learning_rate = f32::NAN;
        config.ema_decay = 1.0;
        config.value_root_fraction = -0.5;
        assert_eq!(
            config.validate().unwrap_err().to_string(),
            "use this training configuration: learning_rate is NaN, not above 0; \
             value_root_fraction is -0.5, not from 0 to 1; ema_decay is 1, so the averaged weights \
             would never change"
        );
    }
}
