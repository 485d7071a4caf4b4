//! Inference and training steps on a processor: one thread, no allocation, the same answer whatever
//! is asked beside.
//!
//! * `simd`: vectors of f32 for each instruction set; unsafe code is here and in `int8::dot` only.
//! * `lattice`: squares in memory, so that a neighbour is a constant step away.
//! * `matrix`, `network`: weights cut up for the kernels.
//! * `kernels`: the layers, written once for every instruction set.
//! * `int8`: the convolutions once more, in 8 bits.
//! * `forward`: a chunk of positions through the layers.
//! * `evaluator`: requests in, replies out.
//! * `backprop`: the same layers in both directions, for training.
//! * `peak`: what the processor could do at best.

pub mod backprop;
mod evaluator;
mod forward;
mod instructions;
mod int8;
mod kernels;
pub mod lattice;
mod matrix;
mod network;
mod peak;
pub mod simd;

pub use evaluator::CpuEvaluator;
pub use instructions::Instructions;
pub use peak::peak_flops;
