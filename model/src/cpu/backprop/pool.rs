//! Global pooling in both directions.

use super::super::kernels::{Finish, Pool, Spread};
use super::super::simd::Cell;
use super::kernels::Unpool;
use super::layers::{Gradient, Layers};
use super::pack::TrainedLayer;
use super::passes::CHUNK;

/// Activations of a block's pooling for a chunk.
#[derive(Debug)]
pub(super) struct PoolTape {
    /// `[position][mean cells, maximum cells]`
    pooled: Vec<Cell>,
    /// The gradient of `pooled`.
    pooled_gradient: Vec<Cell>,
    /// `[position][cell]` the bias added to all squares, or its gradient.
    bias: Vec<Cell>,
}

impl PoolTape {
    pub(super) fn new(layer: &TrainedLayer) -> Self {
        let zeros = |n_cells: usize| vec![Cell::ZERO; CHUNK * n_cells];
        Self {
            pooled: zeros(layer.matrix.n_inputs),
            pooled_gradient: zeros(layer.matrix.n_inputs),
            bias: zeros(layer.matrix.n_outputs()),
        }
    }

    /// Computes `output` from `input`, both `[position][cell][slot]`.
    pub(super) fn forward(
        &mut self,
        layers: &Layers,
        layer: &TrainedLayer,
        input: &[Cell],
        output: &mut [Cell],
    ) {
        layers.instructions.run(Pool {
            places: layers.lattice.places(),
            n_cells: layers.n_cells(),
            input,
            output: &mut self.pooled,
            n_positions: CHUNK,
        });
        layers.multiply(&layer.matrix, &self.pooled, &mut self.bias, Finish::Linear);
        output.copy_from_slice(input);
        layers.instructions.run(Spread {
            places: layers.lattice.places(),
            bias: &self.bias,
            output,
        });
    }

    /// Adds the gradient through the pooling to `squares`, which holds the gradient of `output` on
    /// entry and the gradient of `input` on return.
    pub(super) fn backward(
        &mut self,
        layers: &Layers,
        layer: &TrainedLayer,
        input: &[Cell],
        squares: &mut [Cell],
        gradient: &mut Gradient,
    ) {
        self.bias.fill(Cell::ZERO);
        layers.gather(
            layers.lattice.places(),
            self.bias.len(),
            squares,
            &mut self.bias,
        );
        layers.multiply_weights(layer, &self.pooled, &self.bias, gradient);
        let pooled_gradient = &mut self.pooled_gradient;
        layers.multiply(&layer.back, &self.bias, pooled_gradient, Finish::Linear);
        layers.instructions.run(Unpool {
            input,
            pooled: &self.pooled,
            pooled_gradient,
            gradient: squares,
            places: layers.lattice.places(),
            n_cells: layers.n_cells(),
            n_positions: CHUNK,
        });
    }
}
