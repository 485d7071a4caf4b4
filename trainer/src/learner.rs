//! What the settings mean to a backend.

use model::backend::{LearnerShape, StepSettings};
use model::graph::graph;
use model::shape::Layout;
use model::{HeadId, ModelConfig, NetworkHeads};

use crate::{TrainConfig, TrainError};

impl TrainConfig {
    /// The network that is trained: that of `model` with the auxiliary heads whose weight is above 0.
    ///
    /// # Errors
    /// When a configuration makes no sense, or an auxiliary head has no outputs.
    pub(crate) fn shape(
        &self,
        model: &ModelConfig,
        n_horizons: usize,
    ) -> Result<LearnerShape, TrainError> {
        model.validate()?;
        self.validate()?;
        let wanted = |head| self.loss_weight(head) > 0.0;
        let heads = NetworkHeads::trained(model, n_horizons, wanted);
        if let Some(head) = HeadId::all().find(|&head| wanted(head) && !heads.has(head)) {
            let key = head.row().weight_key.unwrap_or_default();
            let faults = format!("{key} is above 0, but window.horizons is empty");
            return Err(TrainError::Config { faults });
        }
        Ok(LearnerShape {
            layout: Layout::new(&graph(model, &heads)),
            config: model.clone(),
            heads,
        })
    }

    /// How step number `step` is made.
    pub(crate) fn step_settings(&self, step: u64) -> StepSettings {
        StepSettings {
            precision: self.precision,
            optimiser: self.optimiser,
            learning_rate: self.learning_rate_at(step),
            weight_decay: self.weight_decay,
            gradient_clip: self.gradient_clip,
            ema_decay: self.ema_decay,
            loss_weights: self.loss_weights(),
            steps_between_reports: self.steps_between_reports,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::fixtures;

    #[test]
    fn short_values_need_horizons() {
        let error = fixtures::config().shape(&fixtures::model_config(), 0);
        let error = error.unwrap_err().to_string();
        let expected = "short_values_weight is above 0, but window.horizons is empty";
        assert!(error.contains(expected), "{error}");
    }
}
