//! The network's training step on a processor: forward and backward through every layer by hand.
//!
//! burn's autodiff gives the same gradients and is the reference in tests. This is several times
//! faster on a processor, because a chunk of positions goes through the whole network and back
//! while its activations stay in the second-level cache, and because gathering the squares that a
//! convolution looks at costs nothing.
//!
//! * `layers`: the graph, packed for both directions; `pack`: its layers, and where their gradients lie.
//! * `tape`: a chunk of positions forward and backward.
//! * `input`, `pool`, `board`, `moves`: the parts of the network that are no convolutions.
//! * `passes`: single layers.
//! * `pairs`: products of bf16, for convolutions in both directions.
//! * `kernels`: what the kernels of inference lack.

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
