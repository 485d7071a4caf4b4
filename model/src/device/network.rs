//! The graph on a device.

use burn::tensor::activation::relu;
use burn::tensor::{Device, FloatDType, Tensor, TensorData};

use super::heads::{HeadOutput, PolicyOutput};
use super::lattice::{Convolution, Lattice};
use super::linear::Linear;
use crate::graph::{End, Op, graph};
use crate::shape::tensors;
use crate::tensor::TensorSpec;
use crate::{HeadId, ModelConfig, ModelError, ModelWeights, NetworkHeads, PerHead, Precision};

/// Settings of inference on a device.
#[derive(Clone, Debug)]
pub struct DeviceInference {
    /// The device.
    pub device: Device,
    /// The precision if the device supports it; otherwise f32 is used.
    pub precision: Precision,
    /// The way in which convolutions are computed; an evaluator without one measures them.
    pub convolution: Option<Convolution>,
    /// The number of positions that the device computes together.
    pub batch_size: usize,
}

impl DeviceInference {
    /// Inference in 32 bits.
    pub fn new(device: Device, batch_size: usize) -> Self {
        Self {
            device,
            precision: Precision::F32,
            convolution: None,
            batch_size,
        }
    }

    /// The requested precision, or f32 if the device does not compute in it.
    pub(super) fn precision(&self) -> FloatDType {
        let asked = match self.precision {
            Precision::F16 => FloatDType::F16,
            Precision::Bf16 => FloatDType::BF16,
            Precision::F32 | Precision::Int8 => FloatDType::F32,
        };
        match self.device.supports_dtype(asked) {
            true => asked,
            false => FloatDType::F32,
        }
    }
}

/// A network whose weights are on a device.
#[derive(Clone, Debug)]
pub struct DeviceNetwork {
    pub(super) ops: Vec<Op<Linear>>,
    pub(super) lattice: Lattice,
    /// The precision of the blocks' activations.
    pub(super) stream: FloatDType,
}

impl DeviceNetwork {
    /// Creates a network that plays with these weights, without the auxiliary heads missing in
    /// `weights`. Activations and weights of its blocks have the precision of `inference`.
    ///
    /// # Errors
    /// When `weights` lacks a tensor of inference or has one with another shape.
    pub fn new(
        config: &ModelConfig,
        weights: &ModelWeights,
        inference: &DeviceInference,
    ) -> Result<Self, ModelError> {
        let (device, precision) = (&inference.device, inference.precision());
        let ops = graph(config, &NetworkHeads::of(config, weights));
        for TensorSpec { name, shape, .. } in tensors(&ops) {
            weights.values(&name, &shape)?;
        }
        let tensor = |spec: &TensorSpec| {
            let values = weights.get(&spec.name).expect("found above").values.clone();
            Tensor::from_data(TensorData::new(values, rows_and_columns(spec)), device)
        };
        let ops = ops
            .iter()
            .map(|op| op.map(|layer| Linear::new(layer, tensor)));
        let convolution = inference.convolution.unwrap_or_default();
        let lattice = Lattice::new(config, convolution, device).cast(precision);
        let round = |op: Op<Linear>| match op {
            Op::Conv { layer, end } => Op::Conv {
                layer: layer.cast(precision),
                end,
            },
            Op::PoolBias { layer } => Op::PoolBias {
                layer: layer.cast(precision),
            },
            op => op,
        };
        Ok(Self {
            ops: ops.map(round).collect(),
            lattice,
            stream: precision,
        })
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
                    stream = sum.cast(self.stream);
                }
                Op::Conv { layer, end } => match end {
                    End::Branch => branch = self.lattice.convolve(layer, stream.clone(), None),
                    End::Residual => {
                        stream = self.lattice.convolve(layer, branch.clone(), Some(stream));
                    }
                },
                Op::PoolBias { layer } => {
                    branch = branch.clone() + layer.forward(pooled(branch));
                }
                Op::Summary { squares, hidden } => {
                    let squares = relu(squares.forward(stream.clone().cast(FloatDType::F32))); // [batch, squares, value_channels]
                    summary = relu(hidden.forward(squares.flatten::<2>(1, 2)));
                }
                Op::SquareHead { head, layer } => {
                    let output = layer.forward(stream.clone().cast(FloatDType::F32));
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
        let heads = [HeadId::POLICY, HeadId::VALUE].map(|head| outputs[head].take());
        let [
            Some(HeadOutput::Squares(policy)),
            Some(HeadOutput::Board(value)),
        ] = heads
        else {
            unreachable!("every network has a policy of squares and a value of the board");
        };
        (PolicyOutput::new(policy), value)
    }
}

/// The mean over the squares and the maximum, `[batch, 1, 2 * channels]`.
fn pooled(x: Tensor<3>) -> Tensor<3> {
    let n_squares = x.dims()[1] as f32;
    let mean = x.clone().sum_dim(1) / n_squares;
    Tensor::cat(vec![mean, x.max_dim(1)], 2)
}

/// The shape of a tensor on a device, where a bias is a row.
pub(super) fn rows_and_columns(spec: &TensorSpec) -> [usize; 2] {
    match *spec.shape {
        [rows, columns] => [rows, columns],
        _ => [1, spec.n_values()],
    }
}

/// The error of a device or of an evaluator on it.
pub(crate) fn device_error(error: impl std::fmt::Display) -> ModelError {
    ModelError::Device {
        message: error.to_string(),
    }
}
