//! A chunk of positions forward and backward.

use super::super::kernels::Finish;
use super::super::simd::Cell;
use super::input::{Embed, EmbedBack, Positions};
use super::layers::{Block, Gradient, Layers};
use super::passes::{convolve, convolve_back, correlate, gather, rectify};
use super::pool::PoolTape;
use super::value::ValueTape;

/// Positions that go through the network together.
pub const CHUNK: usize = 8;

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
    /// [block] `[position][cell][slot]` behind the first convolution's ReLU.
    inner: Vec<Vec<Cell>>,
    /// [block]
    pools: Vec<Option<PoolTape>>,
    /// `[position][cell][slot]` what the heads say of each square.
    pub(super) heads: Vec<Cell>,
    /// Gradient of `heads`.
    pub(super) heads_gradient: Vec<Cell>,
    value: ValueTape,
    /// `[position][cell][slot]` gradient of the trunk, on its way back through the blocks.
    trunk_gradient: Vec<Cell>,
    /// The same of the inside of a block.
    inner_gradient: Vec<Cell>,
    /// `[2 cells]` for the input layer.
    sums: Vec<Cell>,
}

impl Tape {
    /// Room for a chunk.
    pub fn new(layers: &Layers) -> Self {
        let config = &layers.config;
        let activations =
            |n_cells: usize| vec![Cell::ZERO; layers.lattice.n_slots(CHUNK * n_cells)];
        let trunk = activations(layers.n_cells());
        let heads = activations(layers.heads.layer.matrix.n_outputs());
        let pool = |block: &Block| {
            let layer = block.pool.as_ref()?;
            Some(PoolTape::new(layer, trunk.clone()))
        };
        Self {
            planes: vec![0.0; CHUNK * config.n_squares * crate::PLANES],
            globals: vec![0.0; CHUNK * crate::GLOBALS],
            pools: layers.blocks.iter().map(pool).collect(),
            heads: heads.clone(),
            heads_gradient: heads,
            value: ValueTape::new(layers),
            trunk: vec![trunk.clone(); config.blocks + 1],
            inner: vec![trunk.clone(); config.blocks],
            inner_gradient: trunk.clone(),
            trunk_gradient: trunk,
            sums: vec![Cell::ZERO; 2 * layers.n_cells()],
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
            sums: &mut self.sums,
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
        self.heads_gradient.fill(Cell::ZERO);
        self.read_value_squares(layers);
        self.value.forward(layers);
    }

    /// Logits of win, draw and loss for the side to move: of the game's end at horizon 0, of the
    /// first short horizon at 1, and so on.
    pub fn value(&self, layers: &Layers, position: usize, horizon: usize) -> [f32; 3] {
        [0, 1, 2].map(|index| {
            let (cell, lane) = layers.value_cell(position, 3 * horizon + index);
            self.value.out[cell].0[lane]
        })
    }

    /// Sets the gradient of [`Tape::value`].
    pub fn set_value_gradient(
        &mut self,
        layers: &Layers,
        position: usize,
        horizon: usize,
        gradient: [f32; 3],
    ) {
        for (index, gradient) in gradient.into_iter().enumerate() {
            let (cell, lane) = layers.value_cell(position, 3 * horizon + index);
            self.value.out_gradient[cell].0[lane] = gradient;
        }
    }

    /// From the gradients of the outputs to those of all weights, which are added to `gradient`.
    pub fn backward(&mut self, layers: &Layers, gradient: &mut Gradient) {
        self.value.backward(layers, gradient);
        self.write_value_squares(layers);
        self.heads_backward(layers, gradient);
        for (index, block) in layers.blocks.iter().enumerate().rev() {
            self.block_backward(layers, index, block, gradient);
        }
        let bias = &mut gradient.cells[layers.input.bias.gradient.clone()];
        let trunk_gradient = &mut self.trunk_gradient;
        rectify(
            layers,
            layers.squares(),
            &self.trunk[0],
            trunk_gradient,
            bias,
        );
        layers.instructions.run(EmbedBack {
            layers,
            positions: Positions {
                planes: &self.planes,
                globals: &self.globals,
            },
            output: trunk_gradient,
            gradient,
            sums: &mut self.sums,
        });
    }

    fn block_forward(&mut self, layers: &Layers, index: usize, block: &Block) {
        let (before, after) = self.trunk.split_at_mut(index + 1);
        let (input, output) = (&before[index], &mut after[0]);
        let inner = &mut self.inner[index];
        convolve(layers, &block.first, input, inner, Finish::Relu);
        let mut second_input = &*inner;
        if let (Some(layer), Some(pool)) = (&block.pool, &mut self.pools[index]) {
            pool.forward(layers, layer, inner);
            second_input = &pool.output;
        }
        output.copy_from_slice(input);
        convolve(
            layers,
            &block.second,
            second_input,
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
        let (outer, inside) = (&mut self.trunk_gradient, &mut self.inner_gradient);
        let (inner, pool) = (&self.inner[index], &mut self.pools[index]);
        let squares = layers.squares();

        let bias = &mut gradient.cells[block.second.bias.clone()];
        rectify(layers, squares, &self.trunk[index + 1], outer, bias);
        let second_input = pool.as_ref().map_or(inner, |pool| &pool.output);
        correlate(layers, &block.second, second_input, outer, gradient);
        convolve_back(layers, &block.second, outer, inside, Finish::Linear);
        if let (Some(layer), Some(pool)) = (&block.pool, pool) {
            pool.backward(layers, layer, inner, inside, gradient);
        }
        let bias = &mut gradient.cells[block.first.bias.clone()];
        rectify(layers, squares, inner, inside, bias);
        correlate(layers, &block.first, &self.trunk[index], inside, gradient);
        convolve_back(layers, &block.first, inside, outer, Finish::Add);
    }

    fn heads_backward(&mut self, layers: &Layers, gradient: &mut Gradient) {
        let (layer, heads) = (&layers.heads.layer, &self.heads_gradient);
        let n_planes = CHUNK * layer.matrix.n_outputs();
        let bias = &mut gradient.cells[layer.bias.clone()];
        gather(layers, layers.squares(), n_planes, heads, bias);
        let trunk = &self.trunk[layers.blocks.len()];
        correlate(layers, layer, trunk, heads, gradient);
        convolve_back(
            layers,
            layer,
            heads,
            &mut self.trunk_gradient,
            Finish::Linear,
        );
    }

    /// Copies the value head's columns, behind their ReLU, to `[position][square, channel]`.
    fn read_value_squares(&mut self, layers: &Layers) {
        let (heads, squares) = (&self.heads, &mut self.value.squares);
        for_each_value(layers, |head, square| {
            squares[square.0].0[square.1] = heads[head.0].0[head.1].max(0.0);
        });
    }

    /// Copies the gradient back, to in front of that ReLU.
    fn write_value_squares(&mut self, layers: &Layers) {
        let (heads_gradient, value) = (&mut self.heads_gradient, &self.value);
        for_each_value(layers, |head, square| {
            if value.squares[square.0].0[square.1] > 0.0 {
                let gradient = value.squares_gradient[square.0].0[square.1];
                heads_gradient[head.0].0[head.1] = gradient;
            }
        });
    }
}

/// Calls `visit` with the cell and lane of each of the value head's columns, first in the heads,
/// then in the value head's own layout.
#[inline]
fn for_each_value(layers: &Layers, mut visit: impl FnMut((usize, usize), (usize, usize))) {
    let n_cells = layers.value.hidden.matrix.n_inputs;
    for position in 0..CHUNK {
        let mut index = position * n_cells * Cell::LEN;
        for &slot in layers.lattice.slots() {
            for column in layers.heads.value.clone() {
                let head = layers.head_cell(position, slot, column);
                visit(head, (index / Cell::LEN, index % Cell::LEN));
                index += 1;
            }
        }
    }
}
