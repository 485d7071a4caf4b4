//! The network on a device supported by burn: inference on a GPU, training on any device, and a
//! reference for the processor's implementation.
//!
//! Activations are `[batch, squares, channels]`, and only dark squares exist.
//!
//! * `network`: the graph, operation by operation; `linear`: a layer.
//! * `lattice`: convolutions; `fused`: a kernel of our own for them; `choice`: the fastest way.
//! * `heads`: outputs, and move logits computed from them.
//! * `packed`: compact inputs for the transfer to the device.
//! * `evaluator`: requests in, replies out; `clock`: how busy the device is.
//! * `losses`, `muon`, `learner`: training, whose weights, moments and averages stay on the device.
//! * `named`: devices by name.

mod choice;
mod clock;
mod evaluator;
#[cfg(feature = "fused")]
mod fused;
mod heads;
mod lattice;
mod learner;
mod linear;
mod losses;
mod muon;
mod named;
mod network;
mod packed;

pub use clock::{DeviceClock, DeviceWork};
pub use evaluator::BurnEvaluator;
pub use heads::{HeadOutput, PolicyOutput};
pub use lattice::Convolution;
pub(crate) use learner::DeviceLearner;
pub use named::{DEVICES, device};
pub(crate) use network::device_error;
pub use network::{DeviceInference, DeviceNetwork};
