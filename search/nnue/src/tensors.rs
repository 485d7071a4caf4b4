//! The tensors of a network: their names and shapes in files, and their places in [`Weights`].
//!
//! Activations are in steps of 1/255 from 0 to 1, weights of the first layer in steps of 1/255,
//! weights of later layers in steps of 1/256.
//!
//! [`Weights`]: crate::Weights

use std::ops::Range;

use safetensors::Dtype;

use crate::shape::{BUCKETS, HIDDEN, LAST, Shape, WIDTH};

/// The largest activation; also the scale of first-layer weights.
pub(crate) const ACTIVATION_ONE: i32 = 255;
/// Fractional bits of the weights of later layers.
pub(crate) const WEIGHT_BITS: u32 = 8;

/// One tensor.
pub(crate) struct Tensor {
    pub(crate) name: &'static str,
    /// `I16` or `I32`.
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    /// Its place among all weights.
    pub(crate) range: Range<usize>,
    /// The integer of a weight of 1.
    pub(crate) one: i32,
}

impl Tensor {
    /// All tensors of a network, in the order of its weights.
    pub(crate) fn all(shape: &Shape) -> [Tensor; 8] {
        let tensor = |name, dtype, shape: &[usize], range, one| Tensor {
            name,
            dtype,
            shape: shape.to_vec(),
            range,
            one,
        };
        let weights =
            |name, shape: &[usize], range| tensor(name, Dtype::I16, shape, range, 1 << WEIGHT_BITS);
        let biases = |name, shape: &[usize], range| {
            tensor(
                name,
                Dtype::I32,
                shape,
                range,
                ACTIVATION_ONE << WEIGHT_BITS,
            )
        };
        let first =
            |name, shape: &[usize], range| tensor(name, Dtype::I16, shape, range, ACTIVATION_ONE);
        [
            first("first.weight", &[shape.n_inputs(), WIDTH], shape.first()),
            first("first.bias", &[WIDTH], shape.first_bias()),
            weights(
                "hidden.weight",
                &[BUCKETS, HIDDEN, 2 * WIDTH],
                shape.hidden(),
            ),
            biases("hidden.bias", &[BUCKETS, HIDDEN], shape.hidden_bias()),
            weights("last.weight", &[BUCKETS, LAST, HIDDEN], shape.last()),
            biases("last.bias", &[BUCKETS, LAST], shape.last_bias()),
            weights("output.weight", &[BUCKETS, LAST], shape.output()),
            biases("output.bias", &[BUCKETS], shape.output_bias()),
        ]
    }
}
