//! Weights packed for both directions, and where their gradients lie.

use std::ops::Range;

use super::super::lattice::Lattice;
use super::super::matrix::Matrix;
use super::super::simd::Cell;
use super::table::Table;
use crate::{Instructions, ModelConfig, ModelError, Weights};

/// The gradient of all weights, or a sum of some, for [`Layers::unpack`].
#[derive(Clone, Debug)]
pub struct Gradient {
    pub(super) cells: Vec<Cell>,
}

impl Gradient {
    /// All zero again.
    pub fn clear(&mut self) {
        self.cells.fill(Cell::ZERO);
    }

    /// `self += other`
    pub fn add(&mut self, other: &Self) {
        for (sum, cell) in self.cells.iter_mut().zip(&other.cells) {
            for (sum, value) in sum.0.iter_mut().zip(cell.0) {
                *sum += value;
            }
        }
    }
}

/// A network's weights, ready for passes in both directions. Threads can share it.
#[derive(Debug)]
pub struct Layers {
    pub(super) config: ModelConfig,
    pub(super) instructions: Instructions,
    pub(super) lattice: Lattice,
    /// Steps from a square to those that look at it, in the order of the taps.
    pub(super) back_taps: Vec<isize>,
    pub(super) input: Input,
    pub(super) blocks: Vec<Block>,
    pub(super) heads: Heads,
    pub(super) value: Value,
    n_gradient_cells: usize,
}

/// The input layer's tables.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) weight: Table,
    pub(super) position: Table,
    pub(super) global: Table,
    pub(super) bias: Table,
}

/// A residual block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) first: Layer,
    pub(super) pool: Option<Table>,
    pub(super) second: Layer,
}

/// Everything that the heads ask of single squares, as one layer.
#[derive(Debug)]
pub(super) struct Heads {
    pub(super) layer: Layer,
    /// Columns of the policy: f, t and k.
    pub(super) policy: Range<usize>,
    /// The same of the soft policy; empty without it.
    pub(super) soft_policy: Range<usize>,
    /// Columns of the value head.
    pub(super) value: Range<usize>,
}

/// The value head behind its squares.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) hidden: Table,
    pub(super) hidden_bias: Table,
    pub(super) out: Table,
    pub(super) out_bias: Table,
}

/// A convolution.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) matrix: Matrix,
    /// From the gradient of the output to that of the input.
    pub(super) back: Matrix,
    /// Where the gradient of the weights lies, in the order of `matrix`.
    pub(super) weights: Range<usize>,
    /// Where the gradient of the bias lies.
    pub(super) bias: Range<usize>,
    /// Names of the tensors side by side, and the columns that each has.
    tensors: Vec<(String, usize)>,
    n_taps: usize,
    /// Rows of the weights.
    n_rows: usize,
}

impl Layers {
    /// Packs the weights; the soft policy head is there if `weights` has it.
    ///
    /// # Errors
    /// When the configuration or the weights are not those of a network.
    pub fn new(
        config: &ModelConfig,
        weights: &Weights,
        instructions: Instructions,
    ) -> Result<Self, ModelError> {
        config.validate()?;
        let mut source = Source {
            weights,
            n_gradient_cells: 0,
        };
        let lattice = Lattice::new(config.n_squares, config.n_taps);
        Ok(Self {
            back_taps: lattice.taps.iter().map(|tap| -tap).collect(),
            lattice,
            instructions,
            input: source.input(config)?,
            blocks: (0..config.blocks)
                .map(|index| source.block(config, index))
                .collect::<Result<_, _>>()?,
            heads: source.heads(config)?,
            value: source.value(config)?,
            n_gradient_cells: source.n_gradient_cells,
            config: config.clone(),
        })
    }

    /// A gradient of zero.
    pub fn zero_gradient(&self) -> Gradient {
        Gradient {
            cells: vec![Cell::ZERO; self.n_gradient_cells],
        }
    }

    /// A gradient by the names of the weights.
    pub fn unpack(&self, gradient: &Gradient) -> Weights {
        let mut weights = Weights::new();
        for table in self.tables() {
            let values = table.unpack(&gradient.cells[table.gradient.clone()]);
            let shape = if table.name.ends_with("bias") {
                vec![table.width]
            } else {
                vec![values.len() / table.width, table.width]
            };
            weights.insert(table.name.clone(), shape, values);
        }
        let blocks = self.blocks.iter();
        let layers = blocks.flat_map(|block| [&block.first, &block.second]);
        for layer in layers.chain([&self.heads.layer]) {
            layer.unpack(gradient, &mut weights);
        }
        weights
    }

    /// Where a column of the heads lies for a square: the index of the cell and the lane in it.
    #[inline]
    pub(super) fn head_cell(&self, position: usize, slot: usize, column: usize) -> (usize, usize) {
        let plane = position * self.heads.layer.matrix.n_outputs() + column / Cell::LEN;
        (plane * self.lattice.stride() + slot, column % Cell::LEN)
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        let (input, value) = (&self.input, &self.value);
        let pools = self.blocks.iter().filter_map(|block| block.pool.as_ref());
        [&input.weight, &input.position, &input.global, &input.bias]
            .into_iter()
            .chain([
                &value.hidden,
                &value.hidden_bias,
                &value.out,
                &value.out_bias,
            ])
            .chain(pools)
    }
}

impl Layer {
    /// As many of `taps` as this layer has.
    pub(super) fn taps<'a>(&self, taps: &'a [isize]) -> &'a [isize] {
        &taps[..self.n_taps]
    }

    fn unpack(&self, gradient: &Gradient, weights: &mut Weights) {
        let n_columns: usize = self.tensors.iter().map(|(_, width)| width).sum();
        let values = self.matrix.unpack(&gradient.cells[self.weights.clone()]);
        let bias = Cell::flatten(&gradient.cells[self.bias.clone()]);
        let mut first = 0;
        for (name, width) in &self.tensors {
            let columns = first..first + width;
            let rows = values.chunks_exact(values.len() / self.n_rows);
            let weight = rows.flat_map(|row| row[columns.clone()].to_vec()).collect();
            weights.insert(format!("{name}.weight"), vec![self.n_rows, *width], weight);
            weights.insert(format!("{name}.bias"), vec![*width], bias[columns].to_vec());
            first += width;
        }
        debug_assert_eq!(first, n_columns);
    }
}

/// Reads tensors and gives their gradients their places.
struct Source<'a> {
    weights: &'a Weights,
    n_gradient_cells: usize,
}

impl Source<'_> {
    fn reserve(&mut self, n_cells: usize) -> Range<usize> {
        let start = self.n_gradient_cells;
        self.n_gradient_cells += n_cells;
        start..self.n_gradient_cells
    }

    fn table(&mut self, name: &str, shape: &[usize]) -> Result<Table, ModelError> {
        let values = self.weights.values(name, shape)?;
        let width = shape[shape.len() - 1];
        let table = Table::new(name, values, width, self.n_gradient_cells);
        self.reserve(table.rows.len());
        Ok(table)
    }

    /// A convolution whose columns are those of several tensors.
    fn layer(
        &mut self,
        tensors: &[(String, usize)],
        n_taps: usize,
        n_inputs: usize,
    ) -> Result<Layer, ModelError> {
        let (n_rows, n_columns) = (
            n_taps * n_inputs,
            tensors.iter().map(|(_, width)| width).sum(),
        );
        let (mut weights, mut bias) = (vec![0.0; n_rows * n_columns], Vec::new());
        for (name, width) in tensors {
            let part = self
                .weights
                .values(&format!("{name}.weight"), &[n_rows, *width])?;
            let rows = weights.chunks_exact_mut(n_columns);
            for (row, part) in rows.zip(part.chunks_exact(*width)) {
                row[bias.len()..][..*width].copy_from_slice(part);
            }
            bias.extend_from_slice(self.weights.values(&format!("{name}.bias"), &[*width])?);
        }
        let mut back = vec![0.0; weights.len()];
        for (row, values) in weights.chunks_exact(n_columns).enumerate() {
            let (tap, input) = (row / n_inputs, row % n_inputs);
            for (column, value) in values.iter().enumerate() {
                back[(tap * n_columns + column) * n_inputs + input] = *value;
            }
        }
        let matrix = Matrix::pack(&weights, n_taps, &bias);
        Ok(Layer {
            back: Matrix::pack(&back, n_taps, &vec![0.0; n_inputs]),
            weights: self.reserve(matrix.weights.len()),
            bias: self.reserve(matrix.bias.len()),
            matrix,
            tensors: tensors.to_vec(),
            n_taps,
            n_rows,
        })
    }

    fn input(&mut self, config: &ModelConfig) -> Result<Input, ModelError> {
        let channels = config.channels;
        Ok(Input {
            weight: self.table("input.weight", &[crate::PLANES, channels])?,
            position: self.table("input.position", &[config.n_squares, channels])?,
            global: self.table("input.global", &[crate::GLOBALS, channels])?,
            bias: self.table("input.bias", &[channels])?,
        })
    }

    fn block(&mut self, config: &ModelConfig, index: usize) -> Result<Block, ModelError> {
        let channels = config.channels;
        let tensors = |name| [(format!("blocks.{index}.{name}"), channels)];
        let pool = format!("blocks.{index}.pool.weight");
        Ok(Block {
            first: self.layer(&tensors("conv1"), config.n_taps, channels)?,
            pool: config
                .is_pooled(index)
                .then(|| self.table(&pool, &[2 * channels, channels]))
                .transpose()?,
            second: self.layer(&tensors("conv2"), config.n_taps, channels)?,
        })
    }

    fn heads(&mut self, config: &ModelConfig) -> Result<Heads, ModelError> {
        let n_policy = config.policy_outputs();
        let mut tensors = vec![("policy".to_owned(), n_policy)];
        if self.weights.get("soft_policy.weight").is_some() {
            tensors.push(("soft_policy".to_owned(), n_policy));
        }
        let n_policies = tensors.len() * n_policy;
        tensors.push(("value.square".to_owned(), config.value_channels));
        Ok(Heads {
            layer: self.layer(&tensors, 1, config.channels)?,
            policy: 0..n_policy,
            soft_policy: n_policy..n_policies,
            value: n_policies..n_policies + config.value_channels,
        })
    }

    fn value(&mut self, config: &ModelConfig) -> Result<Value, ModelError> {
        let (flat, hidden) = (
            config.n_squares * config.value_channels,
            config.value_hidden,
        );
        Ok(Value {
            hidden: self.table("value.hidden.weight", &[flat, hidden])?,
            hidden_bias: self.table("value.hidden.bias", &[hidden])?,
            out: self.table("value.out.weight", &[hidden, 3])?,
            out_bias: self.table("value.out.bias", &[3])?,
        })
    }
}
