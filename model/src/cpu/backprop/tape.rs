//! A chunk of positions forward and backward.

use ndarray::{ArrayView2, ArrayView3};

use super::super::kernels::Finish;
use super::super::network::TrunkOp;
use super::super::simd::Cell;
use super::board::BoardTape;
use super::input::{Embed, EmbedBack, Positions};
use super::layers::{Gradient, Layers, TrunkStep, ValuePlace};
use super::pairs::Convolutions;
use super::passes::CHUNK;
use super::pool::PoolTape;
use crate::HeadId;
use crate::graph::End;

/// The activations of the forward pass, kept for the backward pass. Everything is allocated once.
///
/// Ghosts are always zero, in activations and gradients, because only squares are written.
#[derive(Debug)]
pub struct Tape {
    positions: Positions,
    /// [operation] `[position][cell][slot]` its output after the ReLU, the input layer first.
    trunk: Vec<Vec<Cell>>,
    /// [operation of the trunk] the additional activations of a pooling.
    pools: Vec<Option<PoolTape>>,
    /// `[position][cell][slot]` the per-square outputs of the heads.
    pub(super) heads: Vec<Cell>,
    /// The gradient of `heads`.
    pub(super) heads_gradient: Vec<Cell>,
    board: BoardTape,
    /// `[position][cell][slot]` the gradient of the trunk during the backward pass.
    trunk_gradient: Vec<Cell>,
    /// The same for the inside of a block.
    inner_gradient: Vec<Cell>,
    /// `[2 cells]` for the input layer.
    sums: Vec<Cell>,
    convolutions: Convolutions,
}

impl Tape {
    /// Allocates memory for a chunk.
    pub fn new(layers: &Layers) -> Self {
        let config = &layers.config;
        let activations =
            |n_cells: usize| vec![Cell::ZERO; layers.lattice.n_slots(CHUNK * n_cells)];
        let trunk = activations(layers.n_cells());
        let heads = activations(layers.squares.layer.matrix.n_outputs());
        let pool = |step: &TrunkStep| match &step.op {
            TrunkOp::PoolBias { layer } => Some(PoolTape::new(layer)),
            TrunkOp::Conv { .. } => None,
        };
        let n_pairs = match layers.squares.layer.pairs {
            Some(_) => heads.len().max(trunk.len()),
            None => 0,
        };
        Self {
            convolutions: Convolutions::new(n_pairs),
            positions: Positions {
                planes: vec![0.0; CHUNK * config.n_squares * config.n_planes()],
                globals: vec![0.0; CHUNK * crate::GLOBALS],
            },
            pools: layers.trunk.iter().map(pool).collect(),
            heads: heads.clone(),
            heads_gradient: heads,
            board: BoardTape::new(layers),
            trunk: vec![trunk.clone(); layers.trunk.len() + 1],
            inner_gradient: trunk.clone(),
            trunk_gradient: trunk,
            sums: vec![Cell::ZERO; 2 * layers.n_cells()],
        }
    }

    /// Evaluates up to [`CHUNK`] positions: `planes` is `[position, square, plane]`, `globals` is
    /// `[position, global]`. Resets all gradients of outputs to zero.
    ///
    /// # Panics
    /// If there are more positions, or rows are not adjacent.
    pub fn forward(
        &mut self,
        layers: &Layers,
        planes: ArrayView3<'_, f32>,
        globals: ArrayView2<'_, f32>,
    ) {
        let reason = "rows of a batch are adjacent";
        let (planes, globals) = (planes.to_slice(), globals.to_slice());
        let (planes, globals) = (planes.expect(reason), globals.expect(reason));
        self.positions.planes[..planes.len()].copy_from_slice(planes);
        self.positions.globals[..globals.len()].copy_from_slice(globals);
        layers.instructions.run(Embed {
            layers,
            positions: &self.positions,
            output: &mut self.trunk[0],
            sums: &mut self.sums,
        });
        for index in 0..layers.trunk.len() {
            self.step_forward(layers, index);
        }
        let trunk = &self.trunk[layers.trunk.len()];
        let (layer, heads) = (&layers.squares.layer, &mut self.heads);
        let convolutions = &mut self.convolutions;
        convolutions.forward(layers, layer, trunk, heads, Finish::Linear);
        self.heads_gradient.fill(Cell::ZERO);
        self.read_summary_squares(layers);
        self.board.forward(layers);
    }

    /// The outputs of a board head.
    pub fn outputs(&self, layers: &Layers, head: HeadId, position: usize) -> &[f32] {
        let n_cells = layers.board.layer.matrix.n_outputs();
        let row = Cell::flatten(&self.board.out[position * n_cells..][..n_cells]);
        &row[layers.board.columns[head].clone()]
    }

    /// Sets the gradient of [`Tape::outputs`].
    pub fn set_outputs_gradient(
        &mut self,
        layers: &Layers,
        head: HeadId,
        position: usize,
        gradient: &[f32],
    ) {
        let first = position * layers.board.layer.matrix.n_outputs();
        for (column, gradient) in layers.board.columns[head].clone().zip(gradient) {
            let (cell, lane) = (first + column / Cell::LEN, column % Cell::LEN);
            self.board.out_gradient[cell].0[lane] = *gradient;
        }
    }

    /// Computes the gradients of all weights from the gradients of the outputs and adds them to
    /// `gradient`.
    pub fn backward(&mut self, layers: &Layers, gradient: &mut Gradient) {
        self.board.backward(layers, gradient);
        self.write_summary_squares(layers);
        self.heads_backward(layers, gradient);
        for index in (0..layers.trunk.len()).rev() {
            self.step_backward(layers, index, gradient);
        }
        let bias = &mut gradient.cells[layers.input.bias.gradient.clone()];
        let trunk_gradient = &mut self.trunk_gradient;
        layers.rectify(
            layers.lattice.places(),
            &self.trunk[0],
            trunk_gradient,
            bias,
        );
        layers.instructions.run(EmbedBack {
            layers,
            positions: &self.positions,
            output: trunk_gradient,
            gradient,
            sums: &mut self.sums,
        });
    }

    fn step_forward(&mut self, layers: &Layers, index: usize) {
        let TrunkStep { op, input, stream } = &layers.trunk[index];
        let (before, after) = self.trunk.split_at_mut(index + 1);
        let (input, output) = (&before[*input], &mut after[0]);
        let convolutions = &mut self.convolutions;
        match op {
            TrunkOp::Conv {
                layer,
                end: End::Branch,
            } => convolutions.forward(layers, layer, input, output, Finish::Relu),
            TrunkOp::Conv {
                layer,
                end: End::Residual,
            } => {
                output.copy_from_slice(&before[*stream]);
                convolutions.forward(layers, layer, input, output, Finish::Residual);
            }
            TrunkOp::PoolBias { layer } => {
                let pool = self.pools[index].as_mut().expect("a pooling has its tape");
                pool.forward(layers, layer, input, output);
            }
        }
    }

    fn step_backward(&mut self, layers: &Layers, index: usize, gradient: &mut Gradient) {
        let (stream, branch) = (&mut self.trunk_gradient, &mut self.inner_gradient);
        let TrunkStep { op, input, .. } = &layers.trunk[index];
        let (input, output) = (&self.trunk[*input], &self.trunk[index + 1]);
        match op {
            TrunkOp::Conv { layer, end } => {
                let (from, to, finish) = match end {
                    End::Branch => (branch, stream, Finish::Add),
                    End::Residual => (stream, branch, Finish::Linear),
                };
                let bias = &mut gradient.cells[layer.bias.clone()];
                layers.rectify(layers.lattice.places(), output, from, bias);
                let convolutions = &mut self.convolutions;
                convolutions.correlate(layers, layer, input, from, gradient);
                convolutions.backward(layers, layer, from, to, finish);
            }
            TrunkOp::PoolBias { layer } => {
                let pool = self.pools[index].as_mut().expect("a pooling has its tape");
                pool.backward(layers, layer, input, branch, gradient);
            }
        }
    }

    fn heads_backward(&mut self, layers: &Layers, gradient: &mut Gradient) {
        let (layer, heads) = (&layers.squares.layer, &self.heads_gradient);
        let n_planes = CHUNK * layer.matrix.n_outputs();
        let bias = &mut gradient.cells[layer.bias.clone()];
        layers.gather(layers.lattice.places(), n_planes, heads, bias);
        let trunk = &self.trunk[layers.trunk.len()];
        let (convolutions, to) = (&mut self.convolutions, &mut self.trunk_gradient);
        convolutions.correlate(layers, layer, trunk, heads, gradient);
        convolutions.backward(layers, layer, heads, to, Finish::Linear);
    }

    /// Copies the summary's columns, after their ReLU, to `[position][square, channel]`.
    fn read_summary_squares(&mut self, layers: &Layers) {
        let (heads, squares) = (&self.heads, &mut self.board.squares);
        for_each_in_summary(layers, |head, square| {
            squares[square.cell].0[square.lane] = heads[head.cell].0[head.lane].max(0.0);
        });
    }

    /// Copies the gradient back, to before that ReLU.
    fn write_summary_squares(&mut self, layers: &Layers) {
        let (heads_gradient, board) = (&mut self.heads_gradient, &self.board);
        for_each_in_summary(layers, |head, square| {
            if board.squares[square.cell].0[square.lane] > 0.0 {
                let gradient = board.squares_gradient[square.cell].0[square.lane];
                heads_gradient[head.cell].0[head.lane] = gradient;
            }
        });
    }
}

/// Calls `visit` with the place of each of the summary's columns in the heads and in the summary's
/// own layout.
#[inline]
fn for_each_in_summary(layers: &Layers, mut visit: impl FnMut(ValuePlace, ValuePlace)) {
    let n_cells = layers.hidden.matrix.n_inputs;
    for position in 0..CHUNK {
        let mut index = position * n_cells * Cell::LEN;
        for &slot in layers.lattice.slots() {
            for column in layers.summary.clone() {
                let summary = ValuePlace {
                    cell: index / Cell::LEN,
                    lane: index % Cell::LEN,
                };
                visit(layers.head_value(position, slot, column), summary);
                index += 1;
            }
        }
    }
}
