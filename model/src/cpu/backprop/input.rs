//! The input layer in both directions.

use super::super::simd::{Cell, Kernel, Simd};
use super::layers::{Gradient, Layers};
use crate::{GLOBALS, ModelConfig};

/// The inputs of a chunk of positions.
#[derive(Debug)]
pub(super) struct Positions {
    /// `[position][square][plane]`
    pub(super) planes: Vec<f32>,
    /// `[position][global]`
    pub(super) globals: Vec<f32>,
}

impl Positions {
    /// The planes and globals of each position.
    fn iter(&self, config: &ModelConfig) -> impl Iterator<Item = (&[f32], &[f32])> {
        let planes = self
            .planes
            .chunks_exact(config.n_planes() * config.n_squares);
        planes.zip(self.globals.chunks_exact(GLOBALS))
    }
}

/// output = relu(planes * weight + position + globals * global + bias)
pub(super) struct Embed<'a> {
    pub(super) layers: &'a Layers,
    pub(super) positions: &'a Positions,
    /// `[position][cell][slot]`
    pub(super) output: &'a mut [Cell],
    /// `[2 cells]` scratch.
    pub(super) sums: &'a mut [Cell],
}

impl Kernel for Embed<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let (input, squares) = (&self.layers.input, self.layers.lattice.places());
        let (n_cells, n_planes) = (self.layers.n_cells(), self.layers.config.n_planes());
        let (shared, sum) = self.sums.split_at_mut(n_cells);
        let positions = self.positions.iter(&self.layers.config);
        for (position, (planes, globals)) in positions.enumerate() {
            let output = &mut self.output[position * n_cells * squares.stride..];
            shared.copy_from_slice(&input.bias.rows);
            add_rows(shared, &input.globals.rows, globals);
            let identities = input.squares.rows.chunks_exact(n_cells);
            let planes = planes.chunks_exact(n_planes).zip(identities);
            for (&slot, (planes, identity)) in squares.slots.iter().zip(planes) {
                sum.copy_from_slice(shared);
                add_scaled(sum, identity, 1.0);
                add_rows(sum, &input.planes.rows, planes);
                for (cell, sum) in sum.iter().enumerate() {
                    output[cell * squares.stride + slot] = Cell(sum.0.map(|value| value.max(0.0)));
                }
            }
        }
    }
}

/// The backward pass of [`Embed`], from after its ReLU. The gradient of the bias has already been
/// added.
pub(super) struct EmbedBack<'a> {
    pub(super) layers: &'a Layers,
    pub(super) positions: &'a Positions,
    /// `[position][cell][slot]` the gradient before the ReLU.
    pub(super) output: &'a [Cell],
    pub(super) gradient: &'a mut Gradient,
    /// `[2 cells]` scratch.
    pub(super) sums: &'a mut [Cell],
}

impl Kernel for EmbedBack<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let (input, squares) = (&self.layers.input, self.layers.lattice.places());
        let (n_cells, n_planes) = (self.layers.n_cells(), self.layers.config.n_planes());
        let (shared, sum) = self.sums.split_at_mut(n_cells);
        let gradient = &mut self.gradient.cells;
        let positions = self.positions.iter(&self.layers.config);
        for (position, (planes, globals)) in positions.enumerate() {
            let output = &self.output[position * n_cells * squares.stride..];
            shared.fill(Cell::ZERO);
            let planes = planes.chunks_exact(n_planes).zip(squares.slots);
            for (square, (planes, &slot)) in planes.enumerate() {
                for (cell, sum) in sum.iter_mut().enumerate() {
                    *sum = output[cell * squares.stride + slot];
                }
                let identities = &mut gradient[input.squares.gradient.clone()];
                add_scaled(&mut identities[square * n_cells..][..n_cells], sum, 1.0);
                add_to_rows(&mut gradient[input.planes.gradient.clone()], planes, sum);
                add_scaled(shared, sum, 1.0);
            }
            add_to_rows(
                &mut gradient[input.globals.gradient.clone()],
                globals,
                shared,
            );
        }
    }
}

/// sum += scale * row
#[inline(always)]
fn add_scaled(sum: &mut [Cell], row: &[Cell], scale: f32) {
    for (sum, row) in sum.iter_mut().zip(row) {
        for lane in 0..Cell::LEN {
            sum.0[lane] += scale * row.0[lane];
        }
    }
}

/// sum += values * rows, where each row is as long as the sum.
#[inline(always)]
fn add_rows(sum: &mut [Cell], rows: &[Cell], values: &[f32]) {
    for (row, &value) in rows.chunks_exact(sum.len()).zip(values) {
        if value != 0.0 {
            add_scaled(sum, row, value);
        }
    }
}

/// Adds values[i] * sum to row i: the backward pass of [`add_rows`].
#[inline(always)]
fn add_to_rows(rows: &mut [Cell], values: &[f32], sum: &[Cell]) {
    for (row, &value) in rows.chunks_exact_mut(sum.len()).zip(values) {
        if value != 0.0 {
            add_scaled(row, sum, value);
        }
    }
}
