//! The weights of a network, packed for the kernels.

use rules::Board;

use super::int8::ByteMatrix;
use super::lattice::Lattice;
use super::matrix::{Matrix, cells};
use super::simd::Cell;
use crate::{ModelConfig, ModelError, Precision, Weights};

/// A network ready to run, shared by all evaluators of a model.
#[derive(Debug)]
pub(super) struct Network {
    pub(super) board: Board,
    pub(super) lattice: Lattice,
    /// Cells of the trunk's channels.
    pub(super) n_cells: usize,
    pub(super) input: Input,
    pub(super) blocks: Blocks,
    pub(super) policy: Policy,
    pub(super) value: Value,
}

/// Tables of the input layer.
#[derive(Debug)]
pub(super) struct Input {
    /// `[square][cell]` bias and square identity.
    pub(super) base: Vec<Cell>,
    /// `[plane][cell]`
    pub(super) planes: Vec<Cell>,
    /// `[global][cell]`
    pub(super) globals: Vec<Cell>,
}

/// The residual blocks, in one of the precisions.
#[derive(Debug)]
pub(super) enum Blocks {
    F32(Vec<Block<Matrix>>),
    Int8(Vec<Block<ByteMatrix>>),
}

/// A residual block, whose convolutions have weights `M`.
#[derive(Debug)]
pub(super) struct Block<M> {
    pub(super) first: M,
    pub(super) second: M,
    pub(super) pool: Option<Matrix>,
}

/// The policy head.
#[derive(Debug)]
pub(super) struct Policy {
    /// f and t side by side; f is divided by sqrt(d).
    pub(super) vectors: Matrix,
    /// Length d of f and t.
    pub(super) dim: usize,
    /// `[cell]` weights of k.
    pub(super) capture: Vec<Cell>,
    /// Bias of k.
    pub(super) capture_bias: f32,
}

/// The value head.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) square: Matrix,
    pub(super) hidden: Matrix,
    pub(super) out: Matrix,
}

impl Network {
    /// Packs the weights.
    ///
    /// # Errors
    /// When the configuration or the weights are not those of a network.
    pub(super) fn new(
        config: &ModelConfig,
        weights: &Weights,
        precision: Precision,
    ) -> Result<Self, ModelError> {
        config.validate()?;
        weights.check(config)?;
        let tensors = Tensors { config, weights };
        Ok(Self {
            board: config.board(),
            lattice: Lattice::new(config.n_squares, config.n_taps),
            n_cells: config.channels / Cell::LEN,
            input: tensors.input(),
            blocks: match precision {
                Precision::F32 | Precision::F16 => Blocks::F32(tensors.blocks(Matrix::pack)),
                Precision::Int8 => Blocks::Int8(tensors.blocks(ByteMatrix::pack)),
            },
            policy: tensors.policy(),
            value: Value {
                square: tensors.layer("value.square", 1),
                hidden: tensors.layer("value.hidden", config.n_squares),
                out: tensors.layer("value.out", 1),
            },
        })
    }
}

/// Packs row-major weights of shape `[n_taps * inputs, outputs]` with their bias.
type Pack<M> = fn(&[f32], usize, &[f32]) -> M;

/// Weights that have been checked against their configuration.
struct Tensors<'a> {
    config: &'a ModelConfig,
    weights: &'a Weights,
}

impl<'a> Tensors<'a> {
    fn get(&self, name: &str) -> &'a [f32] {
        &self
            .weights
            .get(name)
            .expect("the check has found every tensor")
            .values
    }

    fn layer(&self, name: &str, n_taps: usize) -> Matrix {
        self.packed(name, n_taps, Matrix::pack)
    }

    fn packed<M>(&self, name: &str, n_taps: usize, pack: Pack<M>) -> M {
        let bias = self.get(&format!("{name}.bias"));
        pack(self.get(&format!("{name}.weight")), n_taps, bias)
    }

    fn input(&self) -> Input {
        let bias = self.get("input.bias");
        let position = self.get("input.position").chunks_exact(bias.len());
        let base: Vec<f32> = position
            .flat_map(|square| square.iter().zip(bias).map(|(p, b)| p + b))
            .collect();
        Input {
            base: cells(&base),
            planes: cells(self.get("input.weight")),
            globals: cells(self.get("input.global")),
        }
    }

    fn blocks<M>(&self, pack: Pack<M>) -> Vec<Block<M>> {
        let block = |index| self.block(index, pack);
        (0..self.config.blocks).map(block).collect()
    }

    fn block<M>(&self, index: usize, pack: Pack<M>) -> Block<M> {
        let no_bias = vec![0.0; self.config.channels];
        let pool = self.config.is_pooled(index).then(|| {
            let weights = self.get(&format!("blocks.{index}.pool.weight"));
            Matrix::pack(weights, 1, &no_bias)
        });
        Block {
            first: self.packed(&format!("blocks.{index}.conv1"), self.config.n_taps, pack),
            second: self.packed(&format!("blocks.{index}.conv2"), self.config.n_taps, pack),
            pool,
        }
    }

    fn policy(&self) -> Policy {
        let d = self.config.policy_dim;
        let (weights, bias) = (self.get("policy.weight"), self.get("policy.bias"));
        let scale = 1.0 / (d as f32).sqrt();
        let pair = |row: &[f32]| -> Vec<f32> {
            let f = row[..d].iter().map(|f| f * scale);
            f.chain(row[d..2 * d].iter().copied()).collect()
        };
        let rows = weights.chunks_exact(bias.len());
        let pairs: Vec<f32> = rows.clone().flat_map(pair).collect();
        let capture: Vec<f32> = rows.map(|row| row[2 * d]).collect();
        Policy {
            vectors: Matrix::pack(&pairs, 1, &pair(bias)),
            dim: d,
            capture: cells(&capture),
            capture_bias: bias[2 * d],
        }
    }
}
