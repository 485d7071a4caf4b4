//! The graph on a device.

use std::collections::BTreeMap;

use burn::tensor::activation::relu;
use burn::tensor::module::linear;
use burn::tensor::{Device, FloatDType, Tensor, TensorData};

use super::heads::{HeadOutput, PolicyOutput};
use crate::graph::{End, Layer, Op, graph};
use crate::shape::Layout;
use crate::taps::neighbors;
use crate::tensor::TensorSpec;
use crate::{HeadId, ModelConfig, ModelError, ModelWeights, NetworkHeads, PerHead};

/// A network whose weights are on a device.
#[derive(Clone, Debug)]
pub struct DeviceNetwork {
    ops: Vec<Op<Linear>>,
    gather: Tensor<3>, // [1, squares * taps, squares]
}

/// A matrix product, usually with a bias.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    weight: Tensor<2>,       // [inputs, outputs]
    bias: Option<Tensor<1>>, // [outputs]
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
    fn forward<const D: usize>(&self, x: Tensor<D>) -> Tensor<D> {
        linear(x, self.weight.clone(), self.bias.clone())
    }

    fn cast(&self, dtype: FloatDType) -> Self {
        Self {
            weight: self.weight.clone().cast(dtype),
            bias: self.bias.clone().map(|bias| bias.cast(dtype)),
        }
    }
}

impl DeviceNetwork {
    /// Creates the network with these weights, without the auxiliary heads missing in `weights`.
    ///
    /// # Errors
    /// When `weights` lacks a tensor of inference or has one with another shape.
    pub fn new(
        config: &ModelConfig,
        weights: &ModelWeights,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let ops = graph(config, &NetworkHeads::of(config, weights));
        let layout = Layout::new(&ops);
        let values = layout.flatten(weights, &ModelWeights::new())?;
        let places: BTreeMap<_, _> = layout
            .iter()
            .map(|(spec, range)| (spec.name.as_str(), range))
            .collect();
        let tensor = |spec: &TensorSpec| {
            let values = values[places[spec.name.as_str()].clone()].to_vec();
            Tensor::from_data(TensorData::new(values, rows_and_columns(spec)), device)
        };
        let ops = ops
            .iter()
            .map(|op| op.map(|layer| Linear::new(layer, tensor)));
        Ok(Self::with_ops(ops.collect(), gather_matrix(config, device)))
    }

    /// Creates the network from its operations; `gather` is from [`gather_matrix`].
    pub(super) fn with_ops(ops: Vec<Op<Linear>>, gather: Tensor<3>) -> Self {
        Self { ops, gather }
    }

    /// Converts the blocks to 16 bits; the result cannot be trained.
    #[must_use]
    pub fn halved(self) -> Self {
        let halve = |op: &Op<Linear>| match op {
            Op::Conv { layer, end } => Op::Conv {
                layer: layer.cast(FloatDType::F16),
                end: *end,
            },
            Op::PoolBias { layer } => Op::PoolBias {
                layer: layer.cast(FloatDType::F16),
            },
            op => op.clone(),
        };
        Self {
            ops: self.ops.iter().map(halve).collect(),
            gather: self.gather.cast(FloatDType::F16),
        }
    }

    /// Evaluates positions given as `planes` `[batch, squares, planes]` and `globals`
    /// `[batch, GLOBALS]`. Returns the output of each head, `None` for missing heads.
    pub fn forward(&self, planes: Tensor<3>, globals: Tensor<2>) -> PerHead<Option<HeadOutput>> {
        let mut outputs = PerHead::new(|_| None);
        // The registers of the graph. They hold the inputs before the first operation.
        let (mut stream, mut branch, mut summary) = (planes.clone(), planes, globals);
        for op in &self.ops {
            match op {
                Op::Embed {
                    planes,
                    squares,
                    globals,
                } => {
                    let board = squares.weight.clone().unsqueeze(); // [1, squares, channels]
                    let shared = globals.forward(summary.clone()).unsqueeze_dim(1); // [batch, 1, channels]
                    let sum = relu(planes.forward(stream) + board + shared);
                    stream = sum.cast(self.gather.dtype());
                }
                Op::Conv { layer, end } => match end {
                    End::Branch => branch = relu(self.convolve(layer, stream.clone())),
                    End::Residual => {
                        stream = relu(stream + self.convolve(layer, branch.clone()));
                    }
                },
                Op::PoolBias { layer } => {
                    let (mean, max) = (branch.clone().mean_dim(1), branch.clone().max_dim(1));
                    let pooled = Tensor::cat(vec![mean, max], 2); // [batch, 1, 2 * channels]
                    branch = branch + layer.forward(pooled);
                }
                Op::Summary { squares, hidden } => {
                    let squares = relu(squares.forward(exact(&stream))); // [batch, squares, value_channels]
                    summary = relu(hidden.forward(squares.flatten::<2>(1, 2)));
                }
                Op::SquareHead { head, layer } => {
                    let output = layer.forward(exact(&stream));
                    outputs[*head] = Some(HeadOutput::Squares(output));
                }
                Op::BoardHead { head, layer } => {
                    let output = layer.forward(summary.clone());
                    outputs[*head] = Some(HeadOutput::Board(output));
                }
            }
        }
        outputs
    }

    /// The outputs for inference: move scoring, and logits of win, draw and loss `[batch, 3]`.
    pub fn answer(&self, planes: Tensor<3>, globals: Tensor<2>) -> (PolicyOutput, Tensor<2>) {
        let mut outputs = self.forward(planes, globals);
        let reason = "every network has a policy of squares and a value of the board";
        let policy = outputs[HeadId::POLICY].take().and_then(HeadOutput::squares);
        let value = outputs[HeadId::VALUE].take().and_then(HeadOutput::board);
        (policy.expect(reason), value.expect(reason))
    }

    /// Concatenates the inputs of each square's taps, then computes one product.
    fn convolve(&self, layer: &Linear, x: Tensor<3>) -> Tensor<3> {
        let [batch, n_squares, channels] = x.dims();
        let n_taps = self.gather.dims()[1] / n_squares;
        let gathered = self.gather.clone().matmul(x); // [batch, squares * taps, channels]
        layer.forward(gathered.reshape([batch, n_squares, n_taps * channels]))
    }
}

/// Converts the trunk for the heads, which are computed in 32 bits.
fn exact(stream: &Tensor<3>) -> Tensor<3> {
    stream.clone().cast(FloatDType::F32)
}

/// The shape of a tensor on a device, where a bias is a row.
pub(super) fn rows_and_columns(spec: &TensorSpec) -> [usize; 2] {
    match *spec.shape {
        [rows, columns] => [rows, columns],
        _ => [1, spec.n_values()],
    }
}

/// For each square and tap a row that selects the input square, or zeros off the board.
///
/// Gathering by this product costs as much as a small convolution. Still, it makes training steps
/// faster than any other way to gather in burn: its backward pass is a product too, while the
/// backward passes of `select`, slices and shifted sums scatter into new tensors.
pub(super) fn gather_matrix(config: &ModelConfig, device: &Device) -> Tensor<3> {
    let ModelConfig {
        n_squares, n_taps, ..
    } = *config;
    let mut matrix = ndarray::Array2::<f32>::zeros((n_squares * n_taps, n_squares));
    for (mut row, square) in matrix
        .rows_mut()
        .into_iter()
        .zip(neighbors(n_squares, n_taps))
    {
        if let Some(square) = square {
            row[square] = 1.0;
        }
    }
    let data = TensorData::new(
        matrix.into_raw_vec_and_offset().0,
        [1, n_squares * n_taps, n_squares],
    );
    Tensor::from_data(data, device) // [1, squares * taps, squares]
}

pub(super) fn device_error(error: impl std::fmt::Display) -> ModelError {
    ModelError::Device {
        message: error.to_string(),
    }
}
