//! A chunk of positions forward and backward.

use super::super::kernels::{Convolve, Finish, Pool, Spread};
use super::super::simd::Cell;
use super::input::{Embed, EmbedBack, Positions};
use super::kernels::{Correlate, Gather, Planes, Rectify, Unpool};
use super::layers::{Block, Gradient, Layer, Layers};
use super::table::{Multiply, MultiplyBack, Table};
use super::value::ValueTape;

/// Positions that go through the network together.
pub const CHUNK: usize = 8;

/// Positions over which a convolution's gradient is summed before the next tap's: so many that
/// their activations still fit into the first-level cache.
const CORRELATED: usize = 4;

/// What the layers gave on the way forward, for the way back. Everything is allocated once.
///
/// Ghosts are zero for ever, in activations and in gradients: only squares are written.
#[derive(Debug)]
pub struct Tape {
    /// `[position][square][plane]`
    planes: Vec<f32>,
    /// `[position][global]`
    globals: Vec<f32>,
    /// [block] what goes into it, `[position][cell][slot]`; at last what goes into the heads.
    trunk: Vec<Vec<Cell>>,
    /// [block]
    inner: Vec<Inner>,
    /// `[position][cell][slot]` what the heads say of each square.
    pub(super) heads: Vec<Cell>,
    /// The same of its gradient.
    pub(super) heads_gradient: Vec<Cell>,
    value: ValueTape,
    /// `[position]` logits of win, draw and loss.
    wdl: Vec<[f32; 3]>,
    /// Gradient of `wdl`.
    wdl_gradient: Vec<[f32; 3]>,
    scratch: Scratch,
}

/// The inside of a block.
#[derive(Debug)]
struct Inner {
    /// `[position][cell][slot]` behind the first convolution's ReLU.
    first: Vec<Cell>,
    /// With pooling, what goes into the second convolution; otherwise that is `first`.
    spread: Vec<Cell>,
    /// `[position][mean cells, maximum cells]`
    pooled: Vec<Cell>,
}

impl Inner {
    fn new(layers: &Layers, block: &Block) -> Self {
        let n_cells = layers.input.bias.n_cells();
        let (activations, pooled) = (activations(layers, n_cells), 2 * CHUNK * n_cells);
        let has_pool = block.pool.is_some();
        Self {
            spread: if has_pool {
                activations.clone()
            } else {
                Vec::new()
            },
            pooled: if has_pool {
                vec![Cell::ZERO; pooled]
            } else {
                Vec::new()
            },
            first: activations,
        }
    }

    fn second_input(&self) -> &[Cell] {
        if self.spread.is_empty() {
            &self.first
        } else {
            &self.spread
        }
    }
}

/// Buffers whose content lives shorter than a pass.
#[derive(Debug)]
struct Scratch {
    /// `[position][cell][slot]` gradient of the trunk.
    trunk: Vec<Cell>,
    /// `[position][cell][slot]` gradient of the inside of a block.
    inner: Vec<Cell>,
    /// `[position][cell]` what the pooled values add to all squares, or its gradient.
    spread: Vec<Cell>,
    /// `[position][mean channels, maximum channels]` gradient of pooled values.
    pooled: Vec<f32>,
    /// `[2 cells]` for the input layer.
    sums: Vec<Cell>,
}

fn activations(layers: &Layers, n_cells: usize) -> Vec<Cell> {
    vec![Cell::ZERO; layers.lattice.n_slots(CHUNK * n_cells)]
}

impl Tape {
    /// Room for a chunk.
    pub fn new(layers: &Layers) -> Self {
        let config = &layers.config;
        let n_cells = layers.input.bias.n_cells();
        let trunk = activations(layers, n_cells);
        let heads = activations(layers, layers.heads.layer.matrix.n_outputs());
        let zeros = |n: usize| vec![Cell::ZERO; n];
        Self {
            planes: vec![0.0; CHUNK * config.n_squares * crate::PLANES],
            globals: vec![0.0; CHUNK * crate::GLOBALS],
            trunk: vec![trunk.clone(); config.blocks + 1],
            inner: layers
                .blocks
                .iter()
                .map(|block| Inner::new(layers, block))
                .collect(),
            heads: heads.clone(),
            heads_gradient: heads,
            value: ValueTape::new(layers, CHUNK),
            wdl: vec![[0.0; 3]; CHUNK],
            wdl_gradient: vec![[0.0; 3]; CHUNK],
            scratch: Scratch {
                trunk: trunk.clone(),
                inner: trunk,
                spread: zeros(CHUNK * n_cells),
                pooled: vec![0.0; 2 * CHUNK * config.channels],
                sums: zeros(2 * n_cells),
            },
        }
    }

    /// Evaluates up to [`CHUNK`] positions: `planes` is `[position][square][plane]`, `globals` is
    /// `[position][global]`. All gradients of outputs become zero.
    ///
    /// # Panics
    /// When there are more positions.
    pub fn forward(&mut self, layers: &Layers, planes: &[f32], globals: &[f32]) {
        self.planes[..planes.len()].copy_from_slice(planes);
        self.globals[..globals.len()].copy_from_slice(globals);
        layers.instructions.run(Embed {
            layers,
            positions: Positions {
                planes: &self.planes,
                globals: &self.globals,
            },
            output: &mut self.trunk[0],
            sums: &mut self.scratch.sums,
        });
        for (index, block) in layers.blocks.iter().enumerate() {
            self.block_forward(layers, index, block);
        }
        let trunk = &self.trunk[layers.blocks.len()];
        convolve(
            layers,
            &layers.heads.layer,
            trunk,
            &mut self.heads,
            Finish::Linear,
        );
        self.read_value_squares(layers);
        self.value.forward(layers, &mut self.wdl);
        self.heads_gradient.fill(Cell::ZERO);
        self.wdl_gradient.fill([0.0; 3]);
    }

    /// Logits of win, draw and loss for the side to move.
    pub fn wdl(&self, position: usize) -> [f32; 3] {
        self.wdl[position]
    }

    /// Sets the gradient of [`Tape::wdl`].
    pub fn set_wdl_gradient(&mut self, position: usize, gradient: [f32; 3]) {
        self.wdl_gradient[position] = gradient;
    }

    /// From the gradients of the outputs to those of all weights, which are added to `gradient`.
    pub fn backward(&mut self, layers: &Layers, gradient: &mut Gradient) {
        self.value.backward(layers, &self.wdl_gradient, gradient);
        self.write_value_squares(layers);
        self.heads_backward(layers, gradient);
        for (index, block) in layers.blocks.iter().enumerate().rev() {
            self.block_backward(layers, index, block, gradient);
        }
        let (trunk, bias) = (&self.trunk[0], &layers.input.bias);
        let bias = &mut gradient.cells[bias.gradient.clone()];
        rectify(layers, trunk, &mut self.scratch.trunk, bias);
        layers.instructions.run(EmbedBack {
            layers,
            positions: Positions {
                planes: &self.planes,
                globals: &self.globals,
            },
            output: &self.scratch.trunk,
            gradient,
            sums: &mut self.scratch.sums,
        });
    }

    fn block_forward(&mut self, layers: &Layers, index: usize, block: &Block) {
        let (before, after) = self.trunk.split_at_mut(index + 1);
        let (input, output) = (&before[index], &mut after[0]);
        let inner = &mut self.inner[index];
        convolve(layers, &block.first, input, &mut inner.first, Finish::Relu);
        if let Some(table) = &block.pool {
            pool_forward(layers, table, inner, &mut self.scratch.spread);
        }
        output.copy_from_slice(input);
        convolve(
            layers,
            &block.second,
            inner.second_input(),
            output,
            Finish::Residual,
        );
    }

    fn block_backward(
        &mut self,
        layers: &Layers,
        index: usize,
        block: &Block,
        gradient: &mut Gradient,
    ) {
        let (inner, scratch) = (&self.inner[index], &mut self.scratch);
        let bias = &mut gradient.cells[block.second.bias.clone()];
        rectify(layers, &self.trunk[index + 1], &mut scratch.trunk, bias);
        correlate(
            layers,
            &block.second,
            inner.second_input(),
            &scratch.trunk,
            gradient,
        );
        convolve_back(
            layers,
            &block.second,
            &scratch.trunk,
            &mut scratch.inner,
            Finish::Linear,
        );
        if let Some(table) = &block.pool {
            pool_backward(layers, table, inner, scratch, gradient);
        }
        let bias = &mut gradient.cells[block.first.bias.clone()];
        rectify(layers, &inner.first, &mut scratch.inner, bias);
        correlate(
            layers,
            &block.first,
            &self.trunk[index],
            &scratch.inner,
            gradient,
        );
        convolve_back(
            layers,
            &block.first,
            &scratch.inner,
            &mut scratch.trunk,
            Finish::Add,
        );
    }

    fn heads_backward(&mut self, layers: &Layers, gradient: &mut Gradient) {
        let layer = &layers.heads.layer;
        layers.instructions.run(Gather {
            input: &self.heads_gradient,
            output: &mut gradient.cells[layer.bias.clone()],
            slots: layers.lattice.slots(),
            stride: layers.lattice.stride(),
            n_planes: CHUNK * layer.matrix.n_outputs(),
        });
        let trunk = &self.trunk[layers.blocks.len()];
        correlate(layers, layer, trunk, &self.heads_gradient, gradient);
        let (heads, trunk) = (&self.heads_gradient, &mut self.scratch.trunk);
        convolve_back(layers, layer, heads, trunk, Finish::Linear);
    }

    /// The value head's columns behind their ReLU.
    fn read_value_squares(&mut self, layers: &Layers) {
        let columns = layers.heads.value.clone();
        let mut squares = self.value.squares.chunks_exact_mut(columns.len());
        for position in 0..CHUNK {
            for (&slot, square) in layers.lattice.slots().iter().zip(&mut squares) {
                for (column, value) in columns.clone().zip(square) {
                    let (cell, lane) = layers.head_cell(position, slot, column);
                    *value = self.heads[cell].0[lane].max(0.0);
                }
            }
        }
    }

    /// The gradient in front of that ReLU.
    fn write_value_squares(&mut self, layers: &Layers) {
        let columns = layers.heads.value.clone();
        let values = self.value.squares.chunks_exact(columns.len());
        let gradients = self.value.squares_gradient.chunks_exact(columns.len());
        let mut squares = values.zip(gradients);
        for position in 0..CHUNK {
            for (&slot, (values, gradients)) in layers.lattice.slots().iter().zip(&mut squares) {
                for (column, (value, gradient)) in columns.clone().zip(values.iter().zip(gradients))
                {
                    let (cell, lane) = layers.head_cell(position, slot, column);
                    let passed = if *value > 0.0 { *gradient } else { 0.0 };
                    self.heads_gradient[cell].0[lane] = passed;
                }
            }
        }
    }
}

fn convolve(layers: &Layers, layer: &Layer, input: &[Cell], output: &mut [Cell], finish: Finish) {
    layers.instructions.run(Convolve {
        lattice: &layers.lattice,
        taps: layer.taps(&layers.lattice.taps),
        matrix: &layer.matrix,
        input,
        output,
        n_positions: CHUNK,
        finish,
    });
}

fn convolve_back(
    layers: &Layers,
    layer: &Layer,
    output: &[Cell],
    input: &mut [Cell],
    finish: Finish,
) {
    layers.instructions.run(Convolve {
        lattice: &layers.lattice,
        taps: layer.taps(&layers.back_taps),
        matrix: &layer.back,
        input: output,
        output: input,
        n_positions: CHUNK,
        finish,
    });
}

fn correlate(
    layers: &Layers,
    layer: &Layer,
    input: &[Cell],
    output: &[Cell],
    gradient: &mut Gradient,
) {
    for first in (0..CHUNK).step_by(CORRELATED) {
        layers.instructions.run(Correlate {
            input: Planes {
                cells: input,
                n_cells: layer.matrix.n_inputs,
            },
            output: Planes {
                cells: output,
                n_cells: layer.matrix.n_outputs(),
            },
            taps: layer.taps(&layers.lattice.taps),
            slots: layers.lattice.slots(),
            stride: layers.lattice.stride(),
            positions: first..first + CORRELATED,
            gradient: &mut gradient.cells[layer.weights.clone()],
        });
    }
}

fn rectify(layers: &Layers, output: &[Cell], gradient: &mut [Cell], bias: &mut [Cell]) {
    layers.instructions.run(Rectify {
        output,
        gradient,
        bias,
        slots: layers.lattice.slots(),
        stride: layers.lattice.stride(),
        n_positions: CHUNK,
    });
}

fn pool_forward(layers: &Layers, table: &Table, inner: &mut Inner, spread: &mut [Cell]) {
    let (slots, stride) = (layers.lattice.slots(), layers.lattice.stride());
    layers.instructions.run(Pool {
        slots,
        stride,
        n_cells: table.n_cells(),
        input: &inner.first,
        output: &mut inner.pooled,
        n_positions: CHUNK,
    });
    spread.fill(Cell::ZERO);
    layers.instructions.run(Multiply {
        table,
        input: Cell::flatten(&inner.pooled),
        input_stride: 2 * table.width,
        output: spread,
    });
    inner.spread.copy_from_slice(&inner.first);
    let output = &mut inner.spread;
    layers.instructions.run(Spread {
        slots,
        stride,
        bias: spread,
        output,
    });
}

fn pool_backward(
    layers: &Layers,
    table: &Table,
    inner: &Inner,
    scratch: &mut Scratch,
    gradient: &mut Gradient,
) {
    let (slots, stride) = (layers.lattice.slots(), layers.lattice.stride());
    scratch.spread.fill(Cell::ZERO);
    layers.instructions.run(Gather {
        input: &scratch.inner,
        n_planes: scratch.spread.len(),
        output: &mut scratch.spread,
        slots,
        stride,
    });
    layers.instructions.run(MultiplyBack {
        table,
        table_gradient: &mut gradient.cells[table.gradient.clone()],
        input: Cell::flatten(&inner.pooled),
        input_gradient: &mut scratch.pooled,
        input_stride: 2 * table.width,
        output_gradient: &scratch.spread,
    });
    layers.instructions.run(Unpool {
        input: &inner.first,
        pooled: &inner.pooled,
        pooled_gradient: &scratch.pooled,
        gradient: &mut scratch.inner,
        slots,
        stride,
        n_cells: table.n_cells(),
        n_positions: CHUNK,
    });
}
