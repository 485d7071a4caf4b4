//! The trunk's convolutions in 8 bits; everything else, the residual stream included, stays in f32.
//!
//! * Weights are rounded once, with one scale for each output, to -127 .. 127.
//! * The input of a convolution is rounded to bytes with one scale for each position: its own
//!   greatest value becomes 254 or 255. So there is nothing to calibrate and nothing to clip, and a
//!   reply still depends on its request alone. Where a pooling bias makes values negative, they are
//!   shifted by a *zero*, which the ghosts then hold as well. Only what is exported for runtimes that cannot do so
//!   has fixed ranges ([`Ranges`]).
//! * Sums are exact in i32. What follows them is f32 in one order of operations, so that all
//!   instruction sets with a fused multiply-add give the same replies, bit for bit.
//!
//! `dot` is the instructions, `matrix` the weights, `quantize` and `convolve` the work of a layer,
//! `layers` their order.

mod convolve;
mod dot;
mod layers;
mod matrix;
mod quantize;

pub(super) use layers::Bytes;
pub(super) use matrix::ByteMatrix;
pub(crate) use quantize::Range as ByteRange;
pub(super) use quantize::Ranges;
