//! The weights of a network, packed for the kernels of inference.

use rules::Board;

use super::int8::ByteMatrix;
use super::lattice::Lattice;
use super::matrix::{Matrix, cells};
use super::simd::Cell;
use crate::graph::{End, Layer, Op};
use crate::{HeadId, Inputs, ModelConfig, ModelError, ModelWeights, Precision};

/// A network ready to run, shared by all evaluators of a model.
#[derive(Debug)]
pub(super) struct PackedNetwork {
    /// The input features.
    pub(super) inputs: Inputs,
    pub(super) board: Board,
    pub(super) lattice: Lattice,
    /// The trunk's channels in cells.
    pub(super) n_cells: usize,
    pub(super) input: InputTables,
    pub(super) trunk: Trunk,
    pub(super) policy: PolicyHead,
    pub(super) value: ValueHead,
}

/// Tables of the input layer.
#[derive(Debug)]
pub(super) struct InputTables {
    /// `[square][cell]` bias and square identity.
    pub(super) base: Vec<Cell>,
    /// `[plane][cell]`
    pub(super) planes: Vec<Cell>,
    /// `[global][cell]`
    pub(super) globals: Vec<Cell>,
}

/// The residual blocks, in either precision.
#[derive(Debug)]
pub(super) enum Trunk {
    F32(Vec<TrunkOp<Matrix>>),
    Int8(Vec<TrunkOp<ByteMatrix>>),
}

/// The operations of residual blocks: convolutions with weights `M`, poolings with weights `P`.
#[derive(Debug)]
pub(super) enum TrunkOp<M, P = Matrix> {
    Conv { layer: M, end: End },
    PoolBias { layer: P },
}

/// The policy head.
#[derive(Debug)]
pub(super) struct PolicyHead {
    /// f and t side by side; f is divided by sqrt(d).
    pub(super) vectors: Matrix,
    /// The length d of f and t.
    pub(super) dim: usize,
    /// `[cell]` weights of k.
    pub(super) capture: Vec<Cell>,
    /// Bias of k.
    pub(super) capture_bias: f32,
}

/// The summary and the value head after it.
#[derive(Debug)]
pub(super) struct ValueHead {
    /// Channels of the output of `square`.
    pub(super) n_channels: usize,
    pub(super) square: Matrix,
    pub(super) hidden: Matrix,
    pub(super) out: Matrix,
}

impl PackedNetwork {
    /// Packs the weights.
    ///
    /// # Errors
    /// When the configuration or the weights are invalid.
    pub(super) fn new(
        config: &ModelConfig,
        weights: &ModelWeights,
        precision: Precision,
    ) -> Result<Self, ModelError> {
        config.validate()?;
        weights.check(config)?;
        let ops = config.graph();
        let trunk = match precision {
            Precision::F32 | Precision::F16 | Precision::Bf16 => {
                Trunk::F32(trunk(&ops, weights, Matrix::pack)?)
            }
            Precision::Int8 => Trunk::Int8(trunk(&ops, weights, ByteMatrix::pack)?),
        };
        let (mut input, mut summary, mut policy, mut out) = (None, None, None, None);
        for op in &ops {
            match op {
                Op::Embed {
                    planes,
                    squares,
                    globals,
                } => input = Some(InputTables::new(weights, planes, squares, globals)?),
                // Packed above.
                Op::Conv { .. } | Op::PoolBias { .. } => {}
                Op::Summary { squares, hidden } => {
                    summary = Some((
                        squares.n_outputs(),
                        packed(weights, squares, Matrix::pack)?,
                        packed(weights, hidden, Matrix::pack)?,
                    ));
                }
                Op::SquareHead { head, layer } if *head == HeadId::POLICY => {
                    policy = Some(PolicyHead::new(weights, layer)?);
                }
                Op::BoardHead { head, layer } if *head == HeadId::VALUE => {
                    out = Some(packed(weights, layer, Matrix::pack)?);
                }
                // Search does not use other heads.
                Op::SquareHead { .. } | Op::BoardHead { .. } => {}
            }
        }
        let reason = "every graph has this operation";
        let (n_channels, square, hidden) = summary.expect(reason);
        Ok(Self {
            inputs: config.inputs,
            board: config.board(),
            lattice: Lattice::new(config.n_squares, config.n_taps),
            n_cells: config.channels / Cell::LEN,
            input: input.expect(reason),
            trunk,
            policy: policy.expect(reason),
            value: ValueHead {
                n_channels,
                square,
                hidden,
                out: out.expect(reason),
            },
        })
    }
}

/// Packs row-major weights of shape `[n_taps * inputs, outputs]` with their bias.
type Pack<M> = fn(&[f32], usize, &[f32]) -> M;

fn trunk<M>(
    ops: &[Op],
    weights: &ModelWeights,
    pack: Pack<M>,
) -> Result<Vec<TrunkOp<M>>, ModelError> {
    let mut trunk = Vec::new();
    for op in ops {
        match op {
            Op::Conv { layer, end } => trunk.push(TrunkOp::Conv {
                layer: packed(weights, layer, pack)?,
                end: *end,
            }),
            Op::PoolBias { layer } => trunk.push(TrunkOp::PoolBias {
                layer: packed(weights, layer, Matrix::pack)?,
            }),
            Op::Embed { .. }
            | Op::Summary { .. }
            | Op::SquareHead { .. }
            | Op::BoardHead { .. } => {}
        }
    }
    Ok(trunk)
}

/// Packs a layer; without a bias it gets one of zeros.
fn packed<M>(weights: &ModelWeights, layer: &Layer, pack: Pack<M>) -> Result<M, ModelError> {
    let (weights, bias) = weights.layer(layer)?;
    let zeros = vec![0.0; layer.n_outputs()];
    let bias = if bias.is_empty() { &zeros } else { bias };
    Ok(pack(weights, layer.n_taps, bias))
}

impl InputTables {
    fn new(
        weights: &ModelWeights,
        planes: &Layer,
        squares: &Layer,
        globals: &Layer,
    ) -> Result<Self, ModelError> {
        let (globals, bias) = weights.layer(globals)?;
        let squares = weights.layer(squares)?.0.chunks_exact(bias.len());
        let base: Vec<f32> = squares
            .flat_map(|square| square.iter().zip(bias).map(|(p, b)| p + b))
            .collect();
        Ok(Self {
            base: cells(&base),
            planes: cells(weights.layer(planes)?.0),
            globals: cells(globals),
        })
    }
}

impl PolicyHead {
    fn new(weights: &ModelWeights, layer: &Layer) -> Result<Self, ModelError> {
        let (weights, bias) = weights.layer(layer)?;
        let d = layer.n_outputs() / 2;
        let scale = 1.0 / (d as f32).sqrt();
        let pair = |row: &[f32]| -> Vec<f32> {
            let f = row[..d].iter().map(|f| f * scale);
            f.chain(row[d..2 * d].iter().copied()).collect()
        };
        let rows = weights.chunks_exact(bias.len());
        let pairs: Vec<f32> = rows.clone().flat_map(pair).collect();
        let capture: Vec<f32> = rows.map(|row| row[2 * d]).collect();
        Ok(Self {
            vectors: Matrix::pack(&pairs, 1, &pair(bias)),
            dim: d,
            capture: cells(&capture),
            capture_bias: bias[2 * d],
        })
    }
}
