//! A training step on a processor: hand-written forward and backward passes.
//!
//! burn's autodiff computes the same gradients and is the reference in tests. This implementation
//! is several times faster on a processor, because the activations of a chunk of positions stay in
//! the level-2 cache on the way through the whole network and back, and because gathering the
//! inputs of a convolution is free.
//!
//! * `layers`: the graph, packed for both directions; `pack`: its layers and the offsets of their
//!   gradients.
//! * `tape`: a chunk of positions forward and backward.
//! * `input`, `pool`, `board`, `moves`: the parts of the network other than convolutions.
//! * `passes`: single layers.
//! * `pairs`: bf16 products for convolutions in both directions.
//! * `kernels`: kernels that inference does not have.

mod board;
mod input;
mod kernels;
mod layers;
mod moves;
mod pack;
mod pairs;
mod passes;
mod pool;
mod tape;

pub use layers::{Gradient, Layers};
pub use passes::CHUNK;
pub use tape::Tape;
