//! Small layers on one vector per position, as rows of cells.

use std::ops::Range;

use super::super::matrix::cells;
use super::super::simd::{Cell, Kernel, Simd};

/// A row-major matrix `[rows, width]`, every row padded to whole cells.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Name of its tensor.
    pub(super) name: String,
    /// `[row][cell]`
    pub(super) rows: Vec<Cell>,
    /// Values in a row.
    pub(super) width: usize,
    /// Where its gradient lies.
    pub(super) gradient: Range<usize>,
}

impl Table {
    /// Cuts up `values`; the gradient begins at `start`.
    pub(super) fn new(name: &str, values: &[f32], width: usize, start: usize) -> Self {
        let rows: Vec<Cell> = values.chunks_exact(width).flat_map(cells).collect();
        Self {
            name: name.to_owned(),
            width,
            gradient: start..start + rows.len(),
            rows,
        }
    }

    /// Cells in a row.
    pub(super) fn n_cells(&self) -> usize {
        self.width.div_ceil(Cell::LEN)
    }

    /// Its values in `rows`, which may be a gradient's, without the padding.
    pub(super) fn unpack(&self, rows: &[Cell]) -> Vec<f32> {
        rows.chunks_exact(self.n_cells())
            .flat_map(|row| &Cell::flatten(row)[..self.width])
            .copied()
            .collect()
    }

    /// One row.
    pub(super) fn row(&self, index: usize) -> &[Cell] {
        &self.rows[index * self.n_cells()..][..self.n_cells()]
    }
}

/// sum += scale * row
#[inline(always)]
pub(super) fn add_scaled(sum: &mut [Cell], row: &[Cell], scale: f32) {
    for (sum, row) in sum.iter_mut().zip(row) {
        for lane in 0..Cell::LEN {
            sum.0[lane] += scale * row.0[lane];
        }
    }
}

/// The product of two vectors, summed by halves.
#[inline(always)]
fn dot(a: &[Cell], b: &[Cell]) -> f32 {
    let mut sums = [0.0; Cell::LEN];
    for (a, b) in a.iter().zip(b) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += a.0[lane] * b.0[lane];
        }
    }
    for half in [16, 8, 4, 2, 1] {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
    }
    sums[0]
}

/// `output += input * table` for every position.
pub(super) struct Multiply<'a> {
    /// The matrix.
    pub(super) table: &'a Table,
    /// `[position][row]`, positions `input_stride` apart.
    pub(super) input: &'a [f32],
    /// Values from a position to the next.
    pub(super) input_stride: usize,
    /// `[position][cell]`
    pub(super) output: &'a mut [Cell],
}

impl Kernel for Multiply<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let n_cells = self.table.n_cells();
        for (index, row) in self.table.rows.chunks_exact(n_cells).enumerate() {
            let inputs = self.input.iter().skip(index).step_by(self.input_stride);
            for (output, &input) in self.output.chunks_exact_mut(n_cells).zip(inputs) {
                if input != 0.0 {
                    add_scaled(output, row, input);
                }
            }
        }
    }
}

/// Back through [`Multiply`]: `table_gradient += input * output_gradient` and
/// `input_gradient = table * output_gradient`.
pub(super) struct MultiplyBack<'a> {
    /// The matrix.
    pub(super) table: &'a Table,
    /// Gradient of the matrix.
    pub(super) table_gradient: &'a mut [Cell],
    /// `[position][row]`, positions `input_stride` apart.
    pub(super) input: &'a [f32],
    /// The gradient of `input`, in the same places.
    pub(super) input_gradient: &'a mut [f32],
    /// Values from a position to the next.
    pub(super) input_stride: usize,
    /// `[position][cell]`
    pub(super) output_gradient: &'a [Cell],
}

impl Kernel for MultiplyBack<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let n_cells = self.table.n_cells();
        let sums = self.table_gradient.chunks_exact_mut(n_cells);
        let rows = self.table.rows.chunks_exact(n_cells).zip(sums);
        for (index, (row, sum)) in rows.enumerate() {
            let outputs = self.output_gradient.chunks_exact(n_cells);
            for (position, output) in outputs.enumerate() {
                let at = position * self.input_stride + index;
                self.input_gradient[at] = dot(row, output);
                if self.input[at] != 0.0 {
                    add_scaled(sum, output, self.input[at]);
                }
            }
        }
    }
}
