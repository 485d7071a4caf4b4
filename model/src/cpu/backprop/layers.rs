//! Weights packed for both directions, and where their gradients lie.

use std::ops::Range;

use super::super::lattice::Lattice;
use super::super::matrix::Matrix;
use super::super::simd::Cell;
use super::kernels::Places;
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
    /// 0, 1, 2 .. for every cell of the widest vector.
    pub(super) adjacent: Vec<usize>,
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
    pub(super) pool: Option<Layer>,
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
    pub(super) hidden: Layer,
    /// Win, draw and loss, then those of each short horizon.
    pub(super) out: Layer,
}

/// A convolution, or a product with one vector per position.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) matrix: Matrix,
    /// From the gradient of the output to that of the input.
    pub(super) back: Matrix,
    /// Where the gradient of the weights lies, in the order of `matrix`.
    pub(super) weights: Range<usize>,
    /// Where the gradient of the bias lies.
    pub(super) bias: Range<usize>,
    tensors: Tensors,
    n_taps: usize,
}

/// The tensors whose columns, side by side, are a layer.
#[derive(Clone, Debug)]
pub(super) struct Tensors {
    /// Names in front of `.weight` and `.bias`, and the columns that each has.
    parts: Vec<(String, usize)>,
    /// Whether they have biases.
    biased: bool,
    /// Rows of all of them.
    n_rows: usize,
}

impl Layers {
    /// Packs the weights; the auxiliary heads are there if `weights` has them.
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
        let widest = (config.n_squares * config.value_channels)
            .max(2 * config.channels)
            .max(config.value_hidden);
        Ok(Self {
            adjacent: (0..widest.div_ceil(Cell::LEN)).collect(),
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
        let input = &self.input;
        for table in [&input.weight, &input.position, &input.global, &input.bias] {
            let rows = &gradient.cells[table.gradient.clone()];
            let values = table.unpack(rows);
            weights.insert(table.name.clone(), table.shape.clone(), values);
        }
        let blocks = self.blocks.iter();
        let pools = blocks.clone().filter_map(|block| block.pool.as_ref());
        let layers = blocks.flat_map(|block| [&block.first, &block.second]);
        let others = [&self.heads.layer, &self.value.hidden, &self.value.out];
        for layer in layers.chain(pools).chain(others) {
            layer.unpack(gradient, &mut weights);
        }
        weights
    }

    /// Channels of the trunk in cells.
    pub(super) fn n_cells(&self) -> usize {
        self.config.channels / Cell::LEN
    }

    /// Where the squares are.
    pub(super) fn squares(&self) -> Places<'_> {
        Places {
            slots: self.lattice.slots(),
            stride: self.lattice.stride(),
        }
    }

    /// Where a column of the heads lies for a square: the index of the cell and the lane in it.
    #[inline]
    pub(super) fn head_cell(&self, position: usize, slot: usize, column: usize) -> (usize, usize) {
        let plane = position * self.heads.layer.matrix.n_outputs() + column / Cell::LEN;
        (plane * self.lattice.stride() + slot, column % Cell::LEN)
    }

    /// Where a column of the value head's outputs lies: the index of the cell and the lane in it.
    pub(super) fn value_cell(&self, position: usize, column: usize) -> (usize, usize) {
        let first = position * self.value.out.matrix.n_outputs();
        (first + column / Cell::LEN, column % Cell::LEN)
    }
}

impl Layer {
    /// As many of `taps` as this layer has.
    pub(super) fn taps<'a>(&self, taps: &'a [isize]) -> &'a [isize] {
        &taps[..self.n_taps]
    }

    fn unpack(&self, gradient: &Gradient, weights: &mut Weights) {
        let (values, tensors) = (&gradient.cells[self.weights.clone()], &self.tensors);
        let values = self.matrix.unpack(values);
        let bias = Cell::flatten(&gradient.cells[self.bias.clone()]);
        let mut first = 0;
        for (name, width) in &tensors.parts {
            let columns = first..first + width;
            // Behind the last row there may be padding.
            let rows = values.chunks_exact(bias.len()).take(tensors.n_rows);
            let weight = rows.flat_map(|row| &row[columns.clone()]).copied();
            let shape = vec![tensors.n_rows, *width];
            weights.insert(format!("{name}.weight"), shape, weight.collect());
            if tensors.biased {
                weights.insert(format!("{name}.bias"), vec![*width], bias[columns].to_vec());
            }
            first += width;
        }
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
        let n_cells = values.len() / Cell::LEN;
        Ok(Table::new(name, shape, values, self.reserve(n_cells)))
    }

    /// A layer of one tensor.
    fn layer(
        &mut self,
        name: &str,
        n_taps: usize,
        [n_inputs, n_outputs]: [usize; 2],
        biased: bool,
    ) -> Result<Layer, ModelError> {
        let tensors = Tensors {
            parts: vec![(name.to_owned(), n_outputs)],
            biased,
            n_rows: n_taps * n_inputs,
        };
        self.pack(tensors, n_taps)
    }

    fn pack(&mut self, tensors: Tensors, n_taps: usize) -> Result<Layer, ModelError> {
        // Whole cells of inputs, so that the gradient's panels are all of one size.
        let n_inputs = (tensors.n_rows / n_taps).next_multiple_of(Cell::LEN);
        let (weights, bias) = self.side_by_side(&tensors, n_taps * n_inputs)?;
        let n_columns = bias.len();
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
            tensors,
            n_taps,
        })
    }

    /// The tensors' columns as one matrix of `n_rows` rows, the last ones zero, and their biases.
    fn side_by_side(
        &self,
        tensors: &Tensors,
        n_rows: usize,
    ) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        let n_columns = tensors.parts.iter().map(|(_, width)| width).sum();
        let (mut weights, mut bias) = (vec![0.0; n_rows * n_columns], vec![0.0; n_columns]);
        let mut first = 0;
        for (name, width) in &tensors.parts {
            let (weight_name, bias_name) = (format!("{name}.weight"), format!("{name}.bias"));
            let columns = first..first + width;
            let part = self
                .weights
                .values(&weight_name, &[tensors.n_rows, *width])?;
            for (row, part) in weights
                .chunks_exact_mut(n_columns)
                .zip(part.chunks_exact(*width))
            {
                row[columns.clone()].copy_from_slice(part);
            }
            if tensors.biased {
                bias[columns].copy_from_slice(self.weights.values(&bias_name, &[*width])?);
            }
            first += width;
        }
        Ok((weights, bias))
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
        let (channels, n_taps) = (config.channels, config.n_taps);
        let name = |layer| format!("blocks.{index}.{layer}");
        let pool = config.is_pooled(index);
        Ok(Block {
            first: self.layer(&name("conv1"), n_taps, [channels; 2], true)?,
            pool: pool
                .then(|| self.layer(&name("pool"), 1, [2 * channels, channels], false))
                .transpose()?,
            second: self.layer(&name("conv2"), n_taps, [channels; 2], true)?,
        })
    }

    fn heads(&mut self, config: &ModelConfig) -> Result<Heads, ModelError> {
        let n_policy = config.policy_outputs();
        let mut parts = vec![("policy".to_owned(), n_policy)];
        if self.weights.get("soft_policy.weight").is_some() {
            parts.push(("soft_policy".to_owned(), n_policy));
        }
        let n_policies = parts.len() * n_policy;
        parts.push(("value.square".to_owned(), config.value_channels));
        let tensors = Tensors {
            parts,
            biased: true,
            n_rows: config.channels,
        };
        Ok(Heads {
            layer: self.pack(tensors, 1)?,
            policy: 0..n_policy,
            soft_policy: n_policy..n_policies,
            value: n_policies..n_policies + config.value_channels,
        })
    }

    fn value(&mut self, config: &ModelConfig) -> Result<Value, ModelError> {
        let n_squares = config.n_squares * config.value_channels;
        let mut parts = vec![("value.out".to_owned(), 3)];
        if let Some(array) = self.weights.get("short_value.bias") {
            parts.push(("short_value".to_owned(), array.values.len()));
        }
        let tensors = Tensors {
            parts,
            biased: true,
            n_rows: config.value_hidden,
        };
        Ok(Value {
            hidden: self.layer("value.hidden", 1, [n_squares, config.value_hidden], true)?,
            out: self.pack(tensors, 1)?,
        })
    }
}
