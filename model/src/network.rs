//! The network in burn: training on any device, inference on a GPU, the reference for the CPU path.
//!
//! Activations are `[batch, squares, channels]`, and only dark squares exist. The names of the
//! module's parameters are those of [`ModelConfig::tensors`](crate::ModelConfig::tensors).

mod device;
mod evaluator;
mod heads;
mod layers;
mod module;
pub(crate) mod taps;

pub use device::{DEVICES, device};
pub use evaluator::BurnEvaluator;
pub use heads::{Heads, MoveIndices, PolicyOutput};
pub use module::Network;
