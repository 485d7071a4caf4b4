//! Matrices of which a few rows are added up: the input layer's.

use std::ops::Range;

use super::super::matrix::cells;
use super::super::simd::Cell;

/// A row-major matrix whose rows are whole cells.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Name of its tensor.
    pub(super) name: String,
    /// Shape of its tensor.
    pub(super) shape: Vec<usize>,
    /// `[row][cell]`
    pub(super) rows: Vec<Cell>,
    /// Where its gradient lies.
    pub(super) gradient: Range<usize>,
}

impl Table {
    pub(super) fn new(name: &str, shape: &[usize], values: &[f32], gradient: Range<usize>) -> Self {
        Self {
            name: name.to_owned(),
            shape: shape.to_vec(),
            rows: cells(values),
            gradient,
        }
    }

    /// The values of `rows`, which may be a gradient's.
    pub(super) fn unpack(&self, rows: &[Cell]) -> Vec<f32> {
        Cell::flatten(rows).to_vec()
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

/// sum += values * rows, where row i is as long as the sum.
#[inline(always)]
pub(super) fn add_rows(sum: &mut [Cell], rows: &[Cell], values: &[f32]) {
    for (row, &value) in rows.chunks_exact(sum.len()).zip(values) {
        if value != 0.0 {
            add_scaled(sum, row, value);
        }
    }
}

/// Row i grows by values[i] * sum: back through [`add_rows`].
#[inline(always)]
pub(super) fn add_to_rows(rows: &mut [Cell], values: &[f32], sum: &[Cell]) {
    for (row, &value) in rows.chunks_exact_mut(sum.len()).zip(values) {
        if value != 0.0 {
            add_scaled(row, sum, value);
        }
    }
}
