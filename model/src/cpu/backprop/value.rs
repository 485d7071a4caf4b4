//! The value head behind its squares: two small layers on one vector per position.

use super::super::simd::Cell;
use super::layers::{Gradient, Layers};
use super::table::{Multiply, MultiplyBack, Table};

/// Activations of the value head for a chunk.
#[derive(Debug)]
pub(super) struct ValueTape {
    /// `[position][square, channel]` behind a ReLU.
    pub(super) squares: Vec<f32>,
    /// Gradient of `squares`.
    pub(super) squares_gradient: Vec<f32>,
    /// `[position][cell]` behind a ReLU.
    hidden: Vec<Cell>,
    /// `[position][channel]` gradient of `hidden`.
    hidden_gradient: Vec<f32>,
    /// `[position]` logits.
    out: Vec<Cell>,
}

impl ValueTape {
    pub(super) fn new(layers: &Layers, n_positions: usize) -> Self {
        let config = &layers.config;
        let n_squares = n_positions * config.n_squares * config.value_channels;
        let n_hidden = n_positions * layers.value.hidden.n_cells();
        Self {
            squares: vec![0.0; n_squares],
            squares_gradient: vec![0.0; n_squares],
            hidden: vec![Cell::ZERO; n_hidden],
            hidden_gradient: vec![0.0; n_hidden * Cell::LEN],
            out: vec![Cell::ZERO; n_positions],
        }
    }

    /// From `squares` to the logits of win, draw and loss.
    pub(super) fn forward(&mut self, layers: &Layers, wdl: &mut [[f32; 3]]) {
        let value = &layers.value;
        repeat(&value.hidden_bias, &mut self.hidden);
        layers.instructions.run(Multiply {
            table: &value.hidden,
            input: &self.squares,
            input_stride: layers.config.n_squares * layers.config.value_channels,
            output: &mut self.hidden,
        });
        for hidden in self.hidden.iter_mut().flat_map(|cell| &mut cell.0) {
            *hidden = hidden.max(0.0);
        }
        repeat(&value.out_bias, &mut self.out);
        layers.instructions.run(Multiply {
            table: &value.out,
            input: Cell::flatten(&self.hidden),
            input_stride: value.hidden.n_cells() * Cell::LEN,
            output: &mut self.out,
        });
        for (wdl, out) in wdl.iter_mut().zip(&self.out) {
            *wdl = [out.0[0], out.0[1], out.0[2]];
        }
    }

    /// From the gradient of the logits to `squares_gradient`.
    pub(super) fn backward(&mut self, layers: &Layers, wdl: &[[f32; 3]], gradient: &mut Gradient) {
        let (value, cells) = (&layers.value, &mut gradient.cells);
        for (out, wdl) in self.out.iter_mut().zip(wdl) {
            *out = Cell::ZERO;
            out.0[..3].copy_from_slice(wdl);
        }
        sum_rows(&self.out, &mut cells[value.out_bias.gradient.clone()]);
        layers.instructions.run(MultiplyBack {
            table: &value.out,
            table_gradient: &mut cells[value.out.gradient.clone()],
            input: Cell::flatten(&self.hidden),
            input_gradient: &mut self.hidden_gradient,
            input_stride: value.hidden.n_cells() * Cell::LEN,
            output_gradient: &self.out,
        });
        // The hidden layer's outputs give way to their gradient.
        let (gradients, _) = self.hidden_gradient.as_chunks::<{ Cell::LEN }>();
        for (hidden, gradient) in self.hidden.iter_mut().zip(gradients) {
            for (hidden, gradient) in hidden.0.iter_mut().zip(gradient) {
                *hidden = if *hidden > 0.0 { *gradient } else { 0.0 };
            }
        }
        sum_rows(&self.hidden, &mut cells[value.hidden_bias.gradient.clone()]);
        layers.instructions.run(MultiplyBack {
            table: &value.hidden,
            table_gradient: &mut cells[value.hidden.gradient.clone()],
            input: &self.squares,
            input_gradient: &mut self.squares_gradient,
            input_stride: layers.config.n_squares * layers.config.value_channels,
            output_gradient: &self.hidden,
        });
    }
}

/// Every row becomes the table's only one.
fn repeat(bias: &Table, rows: &mut [Cell]) {
    for row in rows.chunks_exact_mut(bias.n_cells()) {
        row.copy_from_slice(&bias.rows);
    }
}

/// sum += every row
fn sum_rows(rows: &[Cell], sum: &mut [Cell]) {
    for row in rows.chunks_exact(sum.len()) {
        super::table::add_scaled(sum, row, 1.0);
    }
}
