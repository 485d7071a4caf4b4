//! Conversion of settings for a backend.

use model::backend::{LearnerShape, StepSettings};
use model::graph::graph;
use model::shape::Layout;
use model::{ModelConfig, NetworkHeads};

use crate::{TrainConfig, TrainError};

impl TrainConfig {
    /// The network in training: the one of `model`, with the auxiliary heads whose weight is above
    /// 0.
    ///
    /// # Errors
    /// If a configuration is invalid.
    pub(crate) fn shape(&self, model: &ModelConfig) -> Result<LearnerShape, TrainError> {
        model.validate()?;
        self.validate()?;
        let heads = NetworkHeads::trained(model, |head| self.loss_weight(head) > 0.0);
        Ok(LearnerShape {
            layout: Layout::new(&graph(model, &heads)),
            config: model.clone(),
            heads,
        })
    }

    /// The settings of step number `step`.
    pub(crate) fn step_settings(&self, step: u64) -> StepSettings {
        StepSettings {
            precision: self.precision,
            optimiser: self.optimiser,
            learning_rate: self.learning_rate_at(step),
            weight_decay: self.weight_decay,
            gradient_clip: self.gradient_clip,
            ema_decay: self.ema_decay_at(step),
            loss_weights: self.loss_weights(),
            steps_between_reports: self.steps_between_reports,
        }
    }
}
