//! Inference and training on a processor. Each pass through the network is single-threaded and
//! allocation-free, and its answer does not depend on the rest of the batch.
//!
//! * `simd`: vectors of f32 for each instruction set; unsafe code is limited to this module,
//!   `int8::dot` and `backprop::pairs`.
//! * `lattice`: the memory layout of squares, in which every neighbor is a constant offset away.
//! * `matrix`, `network`: weights packed for the kernels.
//! * `kernels`: the layers, written once for every instruction set.
//! * `int8`: the convolutions in 8 bits.
//! * `forward`: a chunk of positions through the layers.
//! * `evaluator`: requests in, replies out.
//! * `backprop`: the same layers in both directions, for training.
//! * `gradient`, `optimizer` with `muon` and `adamw`, `average`, `learner`: a training step, in
//!   shards on rayon's threads.
//! * `peak`: the processor's peak throughput.

#[cfg(feature = "train")]
mod adamw;
#[cfg(feature = "train")]
mod average;
#[cfg(feature = "train")]
pub mod backprop;
mod evaluator;
mod forward;
#[cfg(feature = "train")]
mod gradient;
mod instructions;
mod int8;
mod kernels;
pub mod lattice;
#[cfg(feature = "train")]
mod learner;
mod matrix;
#[cfg(feature = "train")]
pub(crate) mod muon;
mod network;
#[cfg(feature = "train")]
mod optimizer;
#[cfg(feature = "train")]
mod peak;
pub mod simd;

#[cfg(feature = "train")]
pub(crate) use adamw::{BETA1, BETA2, EPSILON};
#[cfg(feature = "train")]
pub(crate) use average::share as average_share;
pub use evaluator::CpuEvaluator;
pub use instructions::InstructionSet;
#[cfg(feature = "train")]
pub(crate) use int8::ByteRange;
#[cfg(feature = "train")]
pub(crate) use learner::CpuLearner;
#[cfg(feature = "train")]
pub use peak::peak_flops;
