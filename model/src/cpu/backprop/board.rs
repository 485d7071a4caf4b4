//! The board summary after its squares, and the heads of the board: two layers on one vector per
//! position.

use super::super::kernels::Finish;
use super::super::lattice::Places;
use super::super::simd::Cell;
use super::layers::{Gradient, Layers};
use super::passes::CHUNK;

/// Activations of the board heads for a chunk.
#[derive(Debug)]
pub(super) struct BoardTape {
    /// `[position][square, channel]` after a ReLU.
    pub(super) squares: Vec<Cell>,
    /// The gradient of `squares`.
    pub(super) squares_gradient: Vec<Cell>,
    /// `[position][cell]` after a ReLU.
    hidden: Vec<Cell>,
    /// The gradient of `hidden`.
    hidden_gradient: Vec<Cell>,
    /// `[position][cell]` logits.
    pub(super) out: Vec<Cell>,
    /// The gradient of `out`.
    pub(super) out_gradient: Vec<Cell>,
}

impl BoardTape {
    pub(super) fn new(layers: &Layers) -> Self {
        let (hidden, out) = (&layers.hidden.matrix, &layers.board.layer.matrix);
        let zeros = |n_cells: usize| vec![Cell::ZERO; CHUNK * n_cells];
        Self {
            squares: zeros(hidden.n_inputs),
            squares_gradient: zeros(hidden.n_inputs),
            hidden: zeros(out.n_inputs),
            hidden_gradient: zeros(out.n_inputs),
            out: zeros(out.n_outputs()),
            out_gradient: zeros(out.n_outputs()),
        }
    }

    /// Computes `out` from `squares`.
    pub(super) fn forward(&mut self, layers: &Layers) {
        let (hidden, out) = (&layers.hidden.matrix, &layers.board.layer.matrix);
        layers.multiply(hidden, &self.squares, &mut self.hidden, Finish::Relu);
        layers.multiply(out, &self.hidden, &mut self.out, Finish::Linear);
        self.out_gradient.fill(Cell::ZERO);
    }

    /// Computes `squares_gradient` from `out_gradient`.
    pub(super) fn backward(&mut self, layers: &Layers, gradient: &mut Gradient) {
        let (hidden, out) = (&layers.hidden, &layers.board.layer);
        let bias = &mut gradient.cells[out.bias.clone()];
        let n_planes = self.out_gradient.len();
        layers.gather(Places::SINGLE, n_planes, &self.out_gradient, bias);
        layers.multiply_weights(out, &self.hidden, &self.out_gradient, gradient);
        let hidden_gradient = &mut self.hidden_gradient;
        layers.multiply(
            &out.back,
            &self.out_gradient,
            hidden_gradient,
            Finish::Linear,
        );

        let bias = &mut gradient.cells[hidden.bias.clone()];
        layers.rectify(Places::SINGLE, &self.hidden, hidden_gradient, bias);
        layers.multiply_weights(hidden, &self.squares, hidden_gradient, gradient);
        let squares_gradient = &mut self.squares_gradient;
        layers.multiply(
            &hidden.back,
            hidden_gradient,
            squares_gradient,
            Finish::Linear,
        );
    }
}
