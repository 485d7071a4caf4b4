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
