//! The input layer in both directions.

use super::super::simd::{Cell, Kernel, Simd};
use super::layers::{Gradient, Layers};
use super::table::{Table, add_scaled};
use crate::{GLOBALS, PLANES};

/// The positions of a chunk, and the trunk's activations where they enter it.
#[derive(Clone, Copy)]
pub(super) struct Positions<'a> {
    /// `[position][square][plane]`
    pub(super) planes: &'a [f32],
    /// `[position][global]`
    pub(super) globals: &'a [f32],
}

/// output = relu(planes * weight + position + globals * global + bias)
pub(super) struct Embed<'a> {
    pub(super) layers: &'a Layers,
    pub(super) positions: Positions<'a>,
    /// `[position][cell][slot]`
    pub(super) output: &'a mut [Cell],
    /// `[cell]` scratch.
    pub(super) sums: &'a mut [Cell],
}

impl Kernel for Embed<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let (input, lattice) = (&self.layers.input, &self.layers.lattice);
        let (n_cells, stride) = (input.bias.n_cells(), lattice.stride());
        let (shared, sum) = self.sums.split_at_mut(n_cells);
        let squares = self
            .positions
            .planes
            .chunks_exact(PLANES * lattice.slots().len());
        let globals = self.positions.globals.chunks_exact(GLOBALS);
        for (position, (squares, globals)) in squares.zip(globals).enumerate() {
            let output = &mut self.output[position * n_cells * stride..];
            shared.copy_from_slice(&input.bias.rows);
            add_rows(shared, &input.global, globals);
            let squares = squares.chunks_exact(PLANES).zip(lattice.slots());
            for (square, (planes, &slot)) in squares.enumerate() {
                sum.copy_from_slice(shared);
                add_scaled(sum, input.position.row(square), 1.0);
                add_rows(sum, &input.weight, planes);
                for (cell, sum) in sum.iter().enumerate() {
                    output[cell * stride + slot] = Cell(sum.0.map(|value| value.max(0.0)));
                }
            }
        }
    }
}

/// sum += values * table
#[inline(always)]
fn add_rows(sum: &mut [Cell], table: &Table, values: &[f32]) {
    for (index, &value) in values.iter().enumerate() {
        if value != 0.0 {
            add_scaled(sum, table.row(index), value);
        }
    }
}

/// Back through [`Embed`], from behind its ReLU. The bias has its gradient already.
pub(super) struct EmbedBack<'a> {
    pub(super) layers: &'a Layers,
    pub(super) positions: Positions<'a>,
    /// `[position][cell][slot]` gradient in front of the ReLU.
    pub(super) output: &'a [Cell],
    pub(super) gradient: &'a mut Gradient,
    /// `[cell]` scratch.
    pub(super) sums: &'a mut [Cell],
}

impl Kernel for EmbedBack<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let (input, lattice) = (&self.layers.input, &self.layers.lattice);
        let (n_cells, stride) = (input.bias.n_cells(), lattice.stride());
        let (shared, sum) = self.sums.split_at_mut(n_cells);
        let gradient = &mut self.gradient.cells;
        let squares = self
            .positions
            .planes
            .chunks_exact(PLANES * lattice.slots().len());
        let globals = self.positions.globals.chunks_exact(GLOBALS);
        for (position, (squares, globals)) in squares.zip(globals).enumerate() {
            let output = &self.output[position * n_cells * stride..];
            shared.fill(Cell::ZERO);
            let squares = squares.chunks_exact(PLANES).zip(lattice.slots());
            for (square, (planes, &slot)) in squares.enumerate() {
                for (cell, sum) in sum.iter_mut().enumerate() {
                    *sum = output[cell * stride + slot];
                }
                let own = &mut gradient[input.position.gradient.clone()];
                add_scaled(&mut own[square * n_cells..][..n_cells], sum, 1.0);
                scatter(&mut gradient[input.weight.gradient.clone()], planes, sum);
                add_scaled(shared, sum, 1.0);
            }
            scatter(
                &mut gradient[input.global.gradient.clone()],
                globals,
                shared,
            );
        }
    }
}

/// Row i of the table's gradient grows by values[i] * sum.
#[inline(always)]
fn scatter(table: &mut [Cell], values: &[f32], sum: &[Cell]) {
    for (row, &value) in table.chunks_exact_mut(sum.len()).zip(values) {
        if value != 0.0 {
            add_scaled(row, sum, value);
        }
    }
}
