//! Weights in 8 bits.

use super::super::matrix::cells;
use super::super::simd::Cell;
use super::dot::{GROUPS, WeightCell};
use crate::eight_bit::EightBit;

/// A convolution's weights in 8 bits, with the factors that convert its sums to f32.
#[derive(Debug)]
pub(in super::super) struct ByteMatrix {
    /// `[output cell][tap][input cell][input group]`
    weights: Vec<WeightCell>,
    /// `[output cell]`
    pub(super) bias: Vec<Cell>,
    /// `[output cell]` the f32 value of one step.
    pub(super) scales: Vec<Cell>,
    /// `[output cell]` the sum of all weights of an output, as f32 in units of its scale.
    pub(super) totals: Vec<Cell>,
    /// Input cells per tap.
    pub(super) n_inputs: usize,
}

impl ByteMatrix {
    /// Quantizes row-major `weights` of shape `[n_taps * inputs, outputs]`; inputs and outputs
    /// consist of whole cells.
    pub(in super::super) fn pack(weights: &[f32], n_taps: usize, bias: &[f32]) -> Self {
        let n_outputs = bias.len();
        let EightBit { values, scales } = EightBit::round(weights, n_outputs);
        let mut totals = vec![0.0; n_outputs];
        let panels_len = weights.len() / n_outputs / 4;
        let n_cells = n_outputs / Cell::LEN;
        let mut packed = vec![WeightCell([[0; 4]; Cell::LEN]); n_cells * panels_len];
        for (row, values) in values.chunks_exact(n_outputs).enumerate() {
            for (output, &value) in values.iter().enumerate() {
                totals[output] += f32::from(value);
                let cell = &mut packed[output / Cell::LEN * panels_len + row / 4];
                cell.0[output % Cell::LEN][row % 4] = value;
            }
        }
        Self {
            weights: packed,
            bias: cells(bias),
            scales: cells(&scales),
            totals: cells(&totals),
            n_inputs: weights.len() / n_outputs / n_taps / Cell::LEN,
        }
    }

    /// The number of output cells.
    #[inline(always)]
    pub(super) fn n_outputs(&self) -> usize {
        self.bias.len()
    }

    /// The weights of an output cell: one array per tap and input cell.
    #[inline(always)]
    pub(super) fn panels(&self, output: usize) -> &[[WeightCell; GROUPS]] {
        let n_weights = self.weights.len() / self.n_outputs();
        self.weights[output * n_weights..][..n_weights]
            .as_chunks()
            .0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_rounds_every_weight_by_the_scale_of_its_output() {
        let (n_taps, n_inputs, n_outputs) = (5, 64, 96);
        // All weights of output 40 are zero.
        let weight = |row: usize, output: usize| match output {
            40 => 0.0,
            _ => ((row * 31 + output * 17) % 101) as f32 / 50.0 - 1.0 + output as f32,
        };
        let weights: Vec<f32> = (0..n_taps * n_inputs * n_outputs)
            .map(|index| weight(index / n_outputs, index % n_outputs))
            .collect();
        let bias: Vec<f32> = (0..n_outputs).map(|output| output as f32).collect();
        let matrix = ByteMatrix::pack(&weights, n_taps, &bias);
        assert_eq!((matrix.n_inputs, matrix.n_outputs()), (2, 3));
        for (output, bias) in bias.iter().enumerate() {
            let (cell, lane) = (output / Cell::LEN, output % Cell::LEN);
            assert_eq!(matrix.bias[cell].0[lane], *bias);
            let groups = matrix.panels(cell).as_flattened();
            assert_eq!(groups.len(), n_taps * n_inputs / 4);
            let rounded = |row: usize| f32::from(groups[row / 4].0[lane][row % 4]);
            let rows = 0..n_taps * n_inputs;
            let scale = matrix.scales[cell].0[lane];
            for row in rows.clone() {
                let difference = rounded(row) * scale - weight(row, output);
                assert!(difference.abs() <= 0.5001 * scale, "{row} {output}");
            }
            let total: f32 = rows.clone().map(rounded).sum();
            assert_eq!(matrix.totals[cell].0[lane], total);
            let greatest = rows.map(|row| rounded(row).abs()).fold(0.0, f32::max);
            assert_eq!(greatest, if output == 40 { 0.0 } else { 127.0 });
        }
    }
}
