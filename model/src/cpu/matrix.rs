//! Weights packed into cells, in the order in which the kernels read them.

use super::simd::{Cell, Factor};

/// A matrix and its bias. Rows and columns are padded with zeros to whole cells.
#[derive(Clone, Debug)]
pub(super) struct Matrix<F: Factor = f32> {
    /// `[output cell][tap][input cell][factor of the input channels]`, each factor a row of 32
    /// outputs.
    pub(super) weights: Vec<F::Row>,
    /// `[output cell]`
    pub(super) bias: Vec<Cell>,
    /// Input cells per tap.
    pub(super) n_inputs: usize,
    /// The number of rows per input cell, a multiple of [`UNROLL`]: rows of unused channels are
    /// omitted.
    n_rows: usize,
    /// The number of rows per output cell.
    panels_len: usize,
}

/// The number of rows that the kernels process at a time.
pub(super) const UNROLL: usize = 4;

impl Matrix {
    /// Packs row-major `weights` of shape `[n_taps * inputs, outputs]`.
    pub(super) fn pack(weights: &[f32], n_taps: usize, bias: &[f32]) -> Self {
        let n_inputs = weights.len() / bias.len() / n_taps;
        let mut matrix = Self::zero(n_inputs, n_taps, bias.len());
        for (row, values) in weights.chunks_exact(bias.len()).enumerate() {
            let (tap, input) = (row / n_inputs, row % n_inputs);
            matrix.set_row(tap, input, 0, values);
        }
        matrix.bias = cells(bias);
        matrix
    }

    /// A matrix of zeros. Input channels beyond the last keep rows of zeros.
    pub(super) fn zero(n_inputs: usize, n_taps: usize, n_outputs: usize) -> Self {
        let n_cells = n_inputs.div_ceil(Cell::LEN);
        let n_rows = n_inputs.next_multiple_of(UNROLL).min(Cell::LEN);
        let panels_len = n_taps * n_cells * n_rows;
        let bias = vec![Cell::ZERO; n_outputs.div_ceil(Cell::LEN)];
        Self {
            weights: vec![Cell::ZERO; bias.len() * panels_len],
            bias,
            n_inputs: n_cells,
            n_rows,
            panels_len,
        }
    }

    /// Writes the weights from an input of a tap to the outputs starting at `first`.
    pub(super) fn set_row(&mut self, tap: usize, input: usize, first: usize, values: &[f32]) {
        let place = tap * self.n_inputs * self.n_rows + input;
        for (column, value) in (first..).zip(values) {
            let cell = column / Cell::LEN * self.panels_len + place;
            self.weights[cell].0[column % Cell::LEN] = *value;
        }
    }

    /// The inverse of [`Self::pack`]: rows of whole cells, including padding of the columns, from
    /// cells in the order of the weights. Inputs must have no padding.
    pub(super) fn unpack(&self, cells: &[Cell]) -> Vec<f32> {
        let n_columns = self.n_outputs() * Cell::LEN;
        let mut values = vec![0.0; cells.len() * Cell::LEN];
        let outputs = cells.chunks_exact(cells.len() / self.n_outputs());
        for (output, cells) in outputs.enumerate() {
            for (row, cell) in values.chunks_exact_mut(n_columns).zip(cells) {
                row[output * Cell::LEN..][..Cell::LEN].copy_from_slice(&cell.0);
            }
        }
        values
    }

    /// Converts the weights to other factors, with this many per input cell; each is made from the
    /// rows of that cell.
    #[cfg(feature = "train")]
    pub(super) fn converted<F: Factor>(
        &self,
        n_rows: usize,
        row: impl Fn(&[Cell], usize) -> F::Row,
    ) -> Matrix<F> {
        let cells = self.weights.chunks_exact(self.n_rows);
        let rows = cells.flat_map(|cell| (0..n_rows).map(|index| row(cell, index)));
        Matrix {
            weights: rows.collect(),
            bias: self.bias.clone(),
            n_inputs: self.n_inputs,
            n_rows,
            panels_len: self.panels_len / self.n_rows * n_rows,
        }
    }
}

impl<F: Factor> Matrix<F> {
    /// The number of output cells.
    #[inline(always)]
    pub(super) fn n_outputs(&self) -> usize {
        self.bias.len()
    }

    /// The weights of an output cell: one slice of rows per tap and input cell.
    #[inline(always)]
    pub(super) fn panels(&self, output: usize) -> std::slice::ChunksExact<'_, F::Row> {
        self.weights[output * self.panels_len..][..self.panels_len].chunks_exact(self.n_rows)
    }
}

/// Packs values into cells, the last one padded with zeros.
pub(super) fn cells(values: &[f32]) -> Vec<Cell> {
    let padded = |chunk: &[f32]| {
        let mut cell = Cell::ZERO;
        cell.0[..chunk.len()].copy_from_slice(chunk);
        cell
    };
    values.chunks(Cell::LEN).map(padded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_every_weight_in_its_place() {
        let (n_taps, n_inputs, n_outputs) = (3, 40, 33);
        let value = |row: usize, column: usize| (row * 100 + column) as f32;
        let weights: Vec<f32> = (0..n_taps * n_inputs * n_outputs)
            .map(|index| value(index / n_outputs, index % n_outputs))
            .collect();
        let bias: Vec<f32> = (0..n_outputs).map(|column| column as f32).collect();
        let matrix = Matrix::pack(&weights, n_taps, &bias);
        assert_eq!((matrix.n_inputs, matrix.n_outputs()), (2, 2));
        assert_eq!(matrix.bias[1].0[..2], [32.0, 0.0]);
        let unpacked = Matrix::pack(&weights[..32 * n_outputs], 1, &bias);
        for (row, values) in unpacked.unpack(&unpacked.weights).chunks(64).enumerate() {
            assert_eq!(values[..n_outputs], weights[row * n_outputs..][..n_outputs]);
            assert!(values[n_outputs..].iter().all(|&value| value == 0.0));
        }
        for output in 0..2 {
            let panels: Vec<&[Cell]> = matrix.panels(output).collect();
            assert_eq!(panels.len(), n_taps * 2);
            for (index, panel) in panels.into_iter().enumerate() {
                for (channel, cell) in panel.iter().enumerate() {
                    let (tap, input) = (index / 2, index % 2 * Cell::LEN + channel);
                    for (lane, &found) in cell.0.iter().enumerate() {
                        let column = output * Cell::LEN + lane;
                        let is_padding = input >= n_inputs || column >= n_outputs;
                        let row = tap * n_inputs + input;
                        assert_eq!(found, if is_padding { 0.0 } else { value(row, column) });
                    }
                }
            }
        }
    }
}
