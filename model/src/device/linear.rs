//! A layer on a device.

use burn::tensor::module::linear;
use burn::tensor::{FloatDType, Tensor};

use crate::graph::Layer;
use crate::tensor::TensorSpec;

/// A matrix product, usually with a bias.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) weight: Tensor<2>,       // [inputs, outputs]
    pub(super) bias: Option<Tensor<1>>, // [outputs]
}

impl Linear {
    /// Creates a layer; `of` returns each tensor, a bias as a row.
    pub(super) fn new(layer: &Layer, of: impl Fn(&TensorSpec) -> Tensor<2>) -> Self {
        Self {
            weight: of(&layer.weight),
            bias: layer
                .bias
                .as_ref()
                .map(|bias| of(bias).reshape([bias.n_values()])),
        }
    }

    /// `x . weight + bias` in the last dimension. burn's function computes one product over all
    /// squares; a plain product would be computed, and differentiated, per position.
    pub(super) fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        linear(x, self.weight.clone(), self.bias.clone())
    }

    /// Rounds the values.
    pub(super) fn cast(self, dtype: FloatDType) -> Self {
        Self {
            weight: self.weight.cast(dtype),
            bias: self.bias.map(|bias| bias.cast(dtype)),
        }
    }
}
