//! The trunk's convolutions in 8 bits; everything else, including the residual stream, stays in
//! f32.
//!
//! * Weights are rounded once, with one scale per output, to -127..=127.
//! * The input of a convolution is rounded to bytes with one scale per position: its largest value
//!   becomes 254 or 255. So no calibration and no clipping is necessary, and a reply still depends
//!   on its request alone. If a pooling bias makes values negative, they are shifted by a *zero*,
//!   which ghosts then hold as well. Only exports for runtimes without this feature use fixed
//!   ranges ([`Ranges`]).
//! * Sums are exact in i32. The following f32 operations have a fixed order, so that all
//!   instruction sets with fused multiply-add give bit-identical replies.
//!
//! `dot` contains the instructions, `matrix` the weights, `quantize` and `convolve` the work of a
//! layer, `layers` their order.

mod convolve;
mod dot;
mod layers;
mod matrix;
mod quantize;

pub(super) use layers::Bytes;
pub(super) use matrix::ByteMatrix;
pub(crate) use quantize::Range as ByteRange;
pub(super) use quantize::Ranges;
