//! The layers, generic over [`Simd`] and compiled for every instruction set.
//!
//! Every output is one chain of multiply-adds in a fixed order, whichever tile computes it, so a
//! position's result never depends on the other positions of a chunk.

use super::lattice::{Lattice, Places};
use super::matrix::{Matrix, UNROLL};
use super::simd::{Cell, Factor, Kernel, Multiply, Simd};

/// The operation applied to a sum of products before it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// None.
    Linear,
    /// Replaces negative values by 0.
    Relu,
    /// Adds the current output, then replaces negative values by 0.
    Residual,
    /// Adds the current output.
    Add,
}

/// The accumulators of R rows, N vectors each. They stay in registers.
type Tile<S, const R: usize, const N: usize> = [[<S as Simd>::Vector; N]; R];

/// Initializes all rows of a tile with the bias.
#[inline(always)]
fn begin<S: Simd, const R: usize, const N: usize>(
    simd: S,
    bias: &Cell,
    lane: usize,
) -> Tile<S, R, N> {
    [std::array::from_fn(|vector| simd.load(bias, lane + vector * S::LANES)); R]
}

/// Adds the products of one input cell's first channels per row with their weights, four factors at
/// a time, which is what a panel's rows are padded to.
#[inline(always)]
fn accumulate<S: Multiply<F>, F: Factor, const R: usize, const N: usize>(
    simd: S,
    tile: &mut Tile<S, R, N>,
    rows: [&F::Channels; R],
    panel: &[F::Row],
    lane: usize,
) {
    let (groups, _) = panel.as_chunks::<UNROLL>();
    for (group, panel) in groups.iter().take(F::STEPS / UNROLL).enumerate() {
        for (index, weights) in panel.iter().enumerate() {
            let step = group * UNROLL + index;
            let weights: [_; N] =
                std::array::from_fn(|vector| simd.row(weights, lane + vector * S::LANES));
            for r in 0..R {
                let input = simd.broadcast(F::of_channels(rows[r], step));
                for (sum, weights) in tile[r].iter_mut().zip(weights) {
                    *sum = simd.multiply(input, weights, *sum);
                }
            }
        }
    }
}

impl Finish {
    /// Finishes, stores and returns the lanes starting at `lane`.
    #[inline(always)]
    pub(super) fn store<S: Simd>(
        self,
        simd: S,
        mut vector: S::Vector,
        output: &mut Cell,
        lane: usize,
    ) -> S::Vector {
        if matches!(self, Self::Residual | Self::Add) {
            vector = simd.add(vector, simd.load(output, lane));
        }
        if matches!(self, Self::Relu | Self::Residual) {
            vector = simd.max(vector, simd.splat(0.0));
        }
        simd.store(output, lane, vector);
        vector
    }
}

/// Stores one row of a tile.
#[inline(always)]
fn store<S: Simd, const N: usize>(
    simd: S,
    row: [S::Vector; N],
    finish: Finish,
    output: &mut Cell,
    lane: usize,
) {
    for (index, vector) in row.into_iter().enumerate() {
        finish.store(simd, vector, output, lane + index * S::LANES);
    }
}

/// For every square: output = finish(bias + input cells selected by the taps * weights).
///
/// Activations are `[position][cell of channels][slot]`.
pub(super) struct Convolve<'a, F: Factor = f32> {
    /// The layout of the squares.
    pub(super) lattice: &'a Lattice,
    /// The offsets from a square to its inputs.
    pub(super) taps: &'a [isize],
    /// The weights.
    pub(super) matrix: &'a Matrix<F>,
    /// The input activations.
    pub(super) input: &'a [F::Channels],
    /// The output activations.
    pub(super) output: &'a mut [Cell],
    /// The number of positions.
    pub(super) n_positions: usize,
    /// The number of channels to compute in the output cells; the others may keep their values.
    pub(super) n_channels: usize,
    /// The operation before storing.
    pub(super) finish: Finish,
}

/// The place of a tile.
#[derive(Clone, Copy)]
struct Place {
    /// The output cell.
    output: usize,
    /// The first slot in the input.
    from: usize,
    /// The first slot in the output.
    to: usize,
}

impl Kernel for Convolve<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.run_with(simd);
    }
}

impl<F: Factor> Convolve<'_, F> {
    /// The kernel.
    #[inline(always)]
    pub(super) fn run_with<S: Multiply<F>>(self, simd: S) {
        // A tile of a whole band needs 32 registers, one of a board row 16.
        match (self.lattice.width, self.lattice.gap, S::REGISTERS) {
            (4, 0, 32) => self.run_tiles::<S, 4, 0, 8>(simd),
            (4, _, 32) => self.run_tiles::<S, 4, 1, 8>(simd),
            (_, 0, 32) => self.run_tiles::<S, 5, 0, 10>(simd),
            (_, _, 32) => self.run_tiles::<S, 5, 1, 10>(simd),
            (4, 0, _) => self.run_tiles::<S, 4, 0, 4>(simd),
            (4, _, _) => self.run_tiles::<S, 4, 1, 4>(simd),
            (_, 0, _) => self.run_tiles::<S, 5, 0, 5>(simd),
            (_, _, _) => self.run_tiles::<S, 5, 1, 5>(simd),
        }
    }

    /// Covers the boards with tiles of R squares: a band if R is 2 W, a board row if R is W.
    #[inline(always)]
    fn run_tiles<S: Multiply<F>, const W: usize, const GAP: usize, const R: usize>(
        mut self,
        simd: S,
    ) {
        let (stride, n_outputs) = (self.lattice.stride(), self.matrix.n_outputs());
        for output in 0..n_outputs {
            for position in 0..self.n_positions {
                let input_start = position * self.matrix.n_inputs * stride;
                let output_start = (position * n_outputs + output) * stride;
                for band in self.lattice.bands() {
                    for first in (0..2 * W).step_by(R) {
                        let square = band + first + if first == W { GAP } else { 0 };
                        let (from, to) = (input_start + square, output_start + square);
                        let place = Place { output, from, to };
                        for lane in (0..self.n_channels).step_by(2 * S::LANES) {
                            if self.n_channels - lane <= S::LANES {
                                self.run_tile::<S, W, GAP, R, 1>(simd, place, lane);
                            } else {
                                self.run_tile::<S, W, GAP, R, 2>(simd, place, lane);
                            }
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn run_tile<
        S: Multiply<F>,
        const W: usize,
        const GAP: usize,
        const R: usize,
        const N: usize,
    >(
        &mut self,
        simd: S,
        Place { output, from, to }: Place,
        lane: usize,
    ) {
        // In a band, the second row's squares follow the gap.
        let offset = |row: usize| if row < W { row } else { row + GAP };
        let mut tile = begin::<S, R, N>(simd, &self.matrix.bias[output], lane);
        let mut panels = self.matrix.panels(output);
        for &tap in self.taps {
            let start = from.wrapping_add_signed(tap);
            for (cell, panel) in panels.by_ref().take(self.matrix.n_inputs).enumerate() {
                let window = &self.input[start + cell * self.lattice.stride()..];
                let window = &window[..offset(R - 1) + 1];
                let rows = std::array::from_fn(|row| &window[offset(row)]);
                accumulate::<S, F, R, N>(simd, &mut tile, rows, panel, lane);
            }
        }
        let window = &mut self.output[to..][..offset(R - 1) + 1];
        for (row, vectors) in tile.into_iter().enumerate() {
            store(simd, vectors, self.finish, &mut window[offset(row)], lane);
        }
    }
}

/// The rows of the smallest [`Dense`] tile.
pub(super) const DENSE_ROWS: usize = 4;

/// For every row: output = finish(bias + the row's cells * weights).
pub(super) struct Dense<'a> {
    /// The weights.
    pub(super) matrix: &'a Matrix,
    /// The input activations.
    pub(super) input: &'a [Cell],
    /// The start of each row in `input`; padded to a multiple of [`DENSE_ROWS`].
    pub(super) rows: &'a [usize],
    /// The offsets of a row's cells from its start.
    pub(super) offsets: &'a [usize],
    /// `[row][cell]`
    pub(super) output: &'a mut [Cell],
    /// The operation before storing.
    pub(super) finish: Finish,
}

impl Kernel for Dense<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        const TWICE: usize = 2 * DENSE_ROWS;
        let n_rows = self.rows.len();
        debug_assert_eq!(n_rows % DENSE_ROWS, 0, "rows are padded");
        for output in 0..self.matrix.n_outputs() {
            for lane in (0..Cell::LEN).step_by(2 * S::LANES) {
                let mut first = 0;
                // With 32 registers the tile can be twice as large.
                while S::REGISTERS == 32 && first + TWICE <= n_rows {
                    self.run_tile::<S, TWICE>(simd, output, first, lane);
                    first += TWICE;
                }
                while first < n_rows {
                    self.run_tile::<S, DENSE_ROWS>(simd, output, first, lane);
                    first += DENSE_ROWS;
                }
            }
        }
    }
}

impl Dense<'_> {
    #[inline(always)]
    fn run_tile<S: Simd, const R: usize>(
        &mut self,
        simd: S,
        output: usize,
        first: usize,
        lane: usize,
    ) {
        let mut tile = begin::<S, R, 2>(simd, &self.matrix.bias[output], lane);
        let starts: [usize; R] = std::array::from_fn(|row| self.rows[first + row]);
        for (&offset, panel) in self.offsets.iter().zip(self.matrix.panels(output)) {
            let rows = std::array::from_fn(|row| &self.input[starts[row] + offset]);
            accumulate::<S, f32, R, 2>(simd, &mut tile, rows, panel, lane);
        }
        for (row, vectors) in tile.into_iter().enumerate() {
            let cell = &mut self.output[(first + row) * self.matrix.n_outputs() + output];
            store(simd, vectors, self.finish, cell, lane);
        }
    }
}

/// The mean and maximum of every channel over the squares: `[position][mean cells, maximum cells]`.
pub(super) struct Pool<'a> {
    /// The slots of a position's squares.
    pub(super) places: Places<'a>,
    /// The number of channel cells.
    pub(super) n_cells: usize,
    /// The activations.
    pub(super) input: &'a [Cell],
    /// The pooled values.
    pub(super) output: &'a mut [Cell],
    /// The number of positions.
    pub(super) n_positions: usize,
}

impl Kernel for Pool<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let share = simd.splat(1.0 / self.places.slots.len() as f32);
        for plane in 0..self.n_positions * self.n_cells {
            let squares = &self.input[plane * self.places.stride..];
            let (position, cell) = (plane / self.n_cells, plane % self.n_cells);
            let (mean, maximum) = (2 * position * self.n_cells + cell, self.n_cells);
            for lane in (0..Cell::LEN).step_by(S::LANES) {
                let mut sum = simd.splat(0.0);
                let mut greatest = simd.splat(0.0); // No value is negative after a ReLU.
                for &slot in self.places.slots {
                    let vector = simd.load(&squares[slot], lane);
                    sum = simd.add(sum, vector);
                    greatest = simd.max(greatest, vector);
                }
                let average = simd.multiply_add(sum, share, simd.splat(0.0));
                simd.store(&mut self.output[mean], lane, average);
                simd.store(&mut self.output[mean + maximum], lane, greatest);
            }
        }
    }
}

/// Adds one cell per position and cell of channels to all of the position's squares.
pub(super) struct Spread<'a> {
    /// The slots of a position's squares.
    pub(super) places: Places<'a>,
    /// `[position][cell]` the bias.
    pub(super) bias: &'a [Cell],
    /// The activations.
    pub(super) output: &'a mut [Cell],
}

impl Kernel for Spread<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for (plane, bias) in self.bias.iter().enumerate() {
            let squares = &mut self.output[plane * self.places.stride..];
            for lane in (0..Cell::LEN).step_by(S::LANES) {
                let bias = simd.load(bias, lane);
                for &slot in self.places.slots {
                    let sum = simd.add(simd.load(&squares[slot], lane), bias);
                    simd.store(&mut squares[slot], lane, sum);
                }
            }
        }
    }
}

/// The input layer on one square per slot: output = relu(base + shared + the content's row).
pub(super) struct Embed<'a> {
    /// The slots of a position's squares.
    pub(super) places: Places<'a>,
    /// `[square][cell]` bias and square identity.
    pub(super) base: &'a [Cell],
    /// `[cell]` the sum of the global inputs' rows.
    pub(super) shared: &'a [Cell],
    /// `[content][cell]` the contribution of each content of a square.
    pub(super) contents: &'a [Cell],
    /// `[square]` the content.
    pub(super) content: &'a [u8],
    /// The activations of the position.
    pub(super) output: &'a mut [Cell],
}

impl Kernel for Embed<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let n_cells = self.shared.len();
        for (square, (&slot, &content)) in self.places.slots.iter().zip(self.content).enumerate() {
            for cell in 0..n_cells {
                let base = &self.base[square * n_cells + cell];
                let content = &self.contents[usize::from(content) * n_cells + cell];
                let output = &mut self.output[cell * self.places.stride + slot];
                for lane in (0..Cell::LEN).step_by(S::LANES) {
                    let empty =
                        simd.add(simd.load(base, lane), simd.load(&self.shared[cell], lane));
                    let sum = simd.add(empty, simd.load(content, lane));
                    simd.store(output, lane, simd.max(sum, simd.splat(0.0)));
                }
            }
        }
    }
}
