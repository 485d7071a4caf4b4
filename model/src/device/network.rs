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

/// A product with a matrix, and with most of them a bias.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    weight: Tensor<2>,       // [inputs, outputs]
    bias: Option<Tensor<1>>, // [outputs]
}

impl Linear {
    /// `of` gives each tensor, a bias as a row.
    pub(super) fn new(layer: &Layer, of: impl Fn(&TensorSpec) -> Tensor<2>) -> Self {
        Self {
            weight: of(&layer.weight),
            bias: layer
                .bias
                .as_ref()
                .map(|bias| of(bias).reshape([bias.n_values()])),
        }
    }

    /// `x . weight + bias` in the last dimension. burn's function makes one product of all squares,
    /// where a plain one would make a product, and in the backward pass a gradient, of each position.
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
    /// The network with these weights, without the auxiliary heads that `weights` lacks.
    ///
    /// # Errors
    /// When `weights` lacks a tensor of inference or has one of another shape.
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

    /// The network of these operations; `gather` is that of [`gather_matrix`].
    pub(super) fn with_ops(ops: Vec<Op<Linear>>, gather: Tensor<3>) -> Self {
        Self { ops, gather }
    }

    /// The same network, whose blocks are computed in 16 bits; it cannot be trained.
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

    /// Evaluates positions given as `planes` `[batch, squares, planes]` and `globals` `[batch,
    /// GLOBALS]`: what each head answers, none for those that the network lacks.
    pub fn forward(&self, planes: Tensor<3>, globals: Tensor<2>) -> PerHead<Option<HeadOutput>> {
        let mut outputs = PerHead::new(|_| None);
        // The registers of the graph. Before the first operation they hold the inputs.
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

    /// What inference needs: what scores moves, and logits of win, draw and loss `[batch, 3]`.
    pub fn answer(&self, planes: Tensor<3>, globals: Tensor<2>) -> (PolicyOutput, Tensor<2>) {
        let mut outputs = self.forward(planes, globals);
        let reason = "every network has a policy of squares and a value of the board";
        let policy = outputs[HeadId::POLICY].take().and_then(HeadOutput::squares);
        let value = outputs[HeadId::VALUE].take().and_then(HeadOutput::board);
        (policy.expect(reason), value.expect(reason))
    }

    /// Each square's taps side by side, then one product.
    fn convolve(&self, layer: &Linear, x: Tensor<3>) -> Tensor<3> {
        let [batch, n_squares, channels] = x.dims();
        let n_taps = self.gather.dims()[1] / n_squares;
        let gathered = self.gather.clone().matmul(x); // [batch, squares * taps, channels]
        layer.forward(gathered.reshape([batch, n_squares, n_taps * channels]))
    }
}

/// The trunk for the heads, which are computed in 32 bits.
fn exact(stream: &Tensor<3>) -> Tensor<3> {
    stream.clone().cast(FloatDType::F32)
}

/// The shape that a tensor has on a device, where a bias is a row.
pub(super) fn rows_and_columns(spec: &TensorSpec) -> [usize; 2] {
    match *spec.shape {
        [rows, columns] => [rows, columns],
        _ => [1, spec.n_values()],
    }
}

/// For each square and tap the row that picks the square looked at, or zeros off the board.
///
/// Gathering by this product costs as much as a small convolution, and yet its training step was
/// the fastest of all ways to gather that burn has: its backward pass is a product again, where
/// those of `select`, of slices and of shifted sums scatter into fresh tensors.
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
