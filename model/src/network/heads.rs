//! What the network says about positions, and how it scores their moves.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Int, Tensor, TensorData};

use super::layers::Source;
use crate::{ModelConfig, ModelError};

/// The outputs of the network for a batch.
#[derive(Clone, Debug)]
pub struct Heads {
    /// What scores moves.
    pub policy: PolicyOutput,
    /// Logits of win, draw and loss for the side to move, `[batch, 3]`.
    pub wdl: Tensor<2>,
    /// The same for each short horizon, side by side, when the weights have that head.
    pub short_value: Option<Tensor<2>>,
    /// What scores moves for the softened target, when the weights have that head.
    pub soft_policy: Option<PolicyOutput>,
}

/// Per square a vector as a move's origin, one as its destination, and a scalar as a captured
/// piece's square.
#[derive(Clone, Debug)]
pub struct PolicyOutput {
    /// `[batch, squares, d]`
    pub from: Tensor<3>,
    /// `[batch, squares, d]`
    pub to: Tensor<3>,
    /// `[batch, squares, 1]`
    pub captured: Tensor<3>,
}

impl PolicyOutput {
    pub(super) fn new(layer: &Linear, trunk: Tensor<3>) -> Self {
        let y = layer.forward(trunk); // [batch, squares, 2 d + 1]
        let dim = y.dims()[2] / 2;
        Self {
            from: y.clone().narrow(2, 0, dim),
            to: y.clone().narrow(2, dim, dim),
            captured: y.narrow(2, 2 * dim, 1),
        }
    }

    /// `f[from] . t[to] / sqrt(d) + sum of k[c] over captured squares c` for every move, `[batch,
    /// moves]`. What padding gets means nothing.
    pub fn logits(&self, moves: &MoveIndices) -> Tensor<2> {
        let captures = moves.captured.clone().matmul(self.captured.clone()); // [batch, moves, 1]
        self.scores(moves.pairs.clone()) + captures.squeeze_dim(2)
    }

    /// The part of the logits that knows no captures, for `from * squares + to` of each move,
    /// `[batch, moves]`.
    pub fn scores(&self, pairs: Tensor<2, Int>) -> Tensor<2> {
        let [batch, n_squares, dim] = self.from.dims();
        let scores = self.from.clone().matmul(self.to.clone().swap_dims(1, 2)); // [batch, squares, squares]
        let scores = scores
            .reshape([batch, n_squares * n_squares])
            .gather(1, pairs);
        scores / (dim as f32).sqrt()
    }
}

/// The moves of a batch of positions, all lists padded to the same length.
#[derive(Clone, Debug)]
pub struct MoveIndices {
    /// `from * squares + to` as tokens, `[batch, moves]`; 0 in padding.
    pub pairs: Tensor<2, Int>,
    /// 1 at captured squares' tokens, `[batch, moves, squares]`.
    pub captured: Tensor<3>,
}

impl MoveIndices {
    /// Uploads moves from flat rows: `pairs` is `[batch * moves]`, `captured` is `[batch * moves *
    /// squares]`.
    pub fn new(shape: [usize; 3], pairs: Vec<i32>, captured: Vec<f32>, device: &Device) -> Self {
        let [batch, moves, _] = shape;
        Self {
            pairs: Tensor::from_data(TensorData::new(pairs, [batch, moves]), device),
            captured: Tensor::from_data(TensorData::new(captured, shape), device),
        }
    }
}

/// From all squares of a board to win, draw and loss.
#[derive(Module, Debug)]
pub(super) struct Value {
    square: Linear,
    hidden: Linear,
    pub(super) out: Linear,
}

impl Value {
    pub(super) fn new(source: &Source<'_>, config: &ModelConfig) -> Result<Self, ModelError> {
        let flat = config.n_squares * config.value_channels;
        Ok(Self {
            square: source
                .at("square")
                .linear(config.channels, config.value_channels)?,
            hidden: source.at("hidden").linear(flat, config.value_hidden)?,
            out: source.at("out").linear(config.value_hidden, 3)?,
        })
    }

    /// The hidden layer, `[batch, value_hidden]`.
    pub(super) fn hidden(&self, trunk: Tensor<3>) -> Tensor<2> {
        let squares = relu(self.square.forward(trunk)); // [batch, squares, value_channels]
        relu(self.hidden.forward(squares.flatten::<2>(1, 2)))
    }
}
