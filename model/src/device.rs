//! The network on a device of burn: inference on a GPU, training on any device, and the reference for
//! the processor's own path.
//!
//! Activations are `[batch, squares, channels]`, and only dark squares exist.
//!
//! * `network`: the graph, operation by operation.
//! * `heads`: what it answers, and how that scores moves.
//! * `packed`: what goes to the device.
//! * `evaluator`: requests in, replies out.
//! * `losses`, `learner`: training, whose weights, moments and averages stay on the device.
//! * `named`: devices by name.

mod evaluator;
mod heads;
mod learner;
mod losses;
mod named;
mod network;
mod packed;

pub use evaluator::{BurnEvaluator, DeviceInference};
pub use heads::{HeadOutput, MoveIndices, PolicyOutput};
pub(crate) use learner::DeviceLearner;
pub use named::{DEVICES, device};
pub use network::DeviceNetwork;
