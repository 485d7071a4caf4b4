//! The interface of backends: training a network, on any device.

use crate::batch::TrainBatch;
use crate::loss::Losses;
use crate::shape::Layout;
use crate::{ModelConfig, ModelError, NetworkHeads, Optimizer, PerHead, StepPrecision};

/// A network in training: its weights, optimizer moments and averaged weights, in the backend's own
/// representation and memory.
pub trait Backend: Send {
    /// Performs one optimizer step on a batch. A step with a non-finite loss or gradient changes no
    /// weight.
    ///
    /// Returns `None` if the losses are not available yet; see [`Backend::report`].
    ///
    /// # Errors
    /// When the device fails.
    fn step(
        &mut self,
        batch: &TrainBatch,
        settings: &StepSettings,
    ) -> Result<Option<StepSums>, ModelError>;

    /// Sums over the steps since the last report; `None` if there were none.
    ///
    /// # Errors
    /// When the device cannot be read.
    fn report(&mut self) -> Result<Option<StepSums>, ModelError>;

    /// The complete state for resuming training.
    ///
    /// # Errors
    /// When the device cannot be read.
    fn state(&self) -> Result<LearnerState, ModelError>;
}

/// A network that can be trained.
#[derive(Clone, Debug)]
pub struct LearnerShape {
    /// The network's shape.
    pub config: ModelConfig,
    /// The network's heads.
    pub heads: NetworkHeads,
    /// The offsets of its tensors in the vectors of a [`LearnerState`].
    pub layout: Layout,
}

/// The complete state for resuming training. Vectors are `[parameter]`, in the order of a
/// [`Layout`].
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerState {
    /// The current weights.
    pub weights: Vec<f32>,
    /// The averaged weights, which are used for play.
    pub average: Vec<f32>,
    /// The running mean of the gradient.
    pub gradient_mean: Vec<f32>,
    /// The running mean of the squared gradient.
    pub gradient_square: Vec<f32>,
    /// The number of updates of the two means.
    pub optimiser_updates: u64,
    /// The number of weight vectors averaged.
    pub average_updates: u64,
}

/// Settings of a training step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepSettings {
    /// The precision of products in convolutions.
    pub precision: StepPrecision,
    /// The optimizer.
    pub optimiser: Optimizer,
    /// The learning rate.
    pub learning_rate: f32,
    /// The weight decay of matrices, per step and unit of learning rate.
    pub weight_decay: f32,
    /// The maximum Euclidean norm of the gradient over all parameters; longer ones are clipped.
    pub gradient_clip: f32,
    /// The decay of the averaged weights per step.
    pub ema_decay: f32,
    /// The weight of each head's loss.
    pub loss_weights: PerHead<f32>,
    /// The number of steps between two reads of the losses from a device; unused on the processor.
    pub steps_between_reports: u64,
}

/// Sums over several steps, without skipped ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSums {
    /// All steps, including skipped ones.
    pub n_steps: u64,
    /// Steps skipped because of a non-finite number.
    pub n_skipped: u64,
    /// Skipped steps since the last good one.
    pub n_skipped_last: u64,
    /// Steps with a clipped gradient.
    pub n_clipped: u64,
    /// Sums of the losses before each step.
    pub losses: Losses,
    /// The sum of gradient norms before clipping.
    pub gradient_norm: f64,
}

impl StepSums {
    /// Adds later steps.
    pub fn add(&mut self, later: &StepSums) {
        self.n_steps += later.n_steps;
        self.n_skipped += later.n_skipped;
        self.n_skipped_last = later.skipped_in_a_row(self.n_skipped_last);
        self.n_clipped += later.n_clipped;
        self.losses.add(&later.losses);
        self.gradient_norm += later.gradient_norm;
    }

    /// The number of steps that means are over, at least one.
    pub fn n_made(&self) -> f64 {
        (self.n_steps - self.n_skipped).max(1) as f64
    }

    /// Skipped steps since the last good one, `before` of them before these steps.
    pub fn skipped_in_a_row(&self, before: u64) -> u64 {
        match self.n_skipped_last {
            all if all == self.n_steps => before + all,
            last => last,
        }
    }
}

impl LearnerState {
    /// The initial training state with these weights.
    pub fn new(weights: Vec<f32>) -> Self {
        let zeros = vec![0.0; weights.len()];
        Self {
            average: weights.clone(),
            gradient_mean: zeros.clone(),
            gradient_square: zeros,
            weights,
            optimiser_updates: 0,
            average_updates: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_steps_in_a_row_end_with_a_good_one() {
        let steps = |n_steps, n_skipped, n_skipped_last| StepSums {
            n_steps,
            n_skipped,
            n_skipped_last,
            gradient_norm: 0.5,
            ..StepSums::default()
        };
        let mut sums = steps(3, 1, 1);
        sums.add(&steps(2, 2, 2));
        assert_eq!((sums.n_skipped, sums.n_skipped_last), (3, 3));
        sums.add(&steps(4, 2, 1));
        assert_eq!((sums.n_skipped, sums.n_skipped_last), (5, 1));
        assert_eq!((sums.n_made(), sums.gradient_norm), (4.0, 1.5));
        assert_eq!(StepSums::default().n_made(), 1.0);
    }
}
