//! Kernels of the backward pass that inference does not need.

use std::ops::Range;

use super::super::kernels::Convolve;
use super::super::lattice::Places;
use super::super::simd::{Cell, Factor, Kernel, Multiply, Simd};
use super::pairs::{Pair, PairKernel, PairSimd};

/// The gradient of a convolution's weights: for every tap and pair of channels, the sum over all
/// squares of the tap's input times the gradient of the square's output.
///
/// Every sum is one chain of multiply-adds in the order of positions and squares.
pub(super) struct Correlate<'a, F: Factor = f32> {
    /// `[position][cell][slot]` the convolution's input.
    pub(super) input: &'a [F::Row],
    /// `[position][cell][slot]` the gradient of its output.
    pub(super) output: &'a [F::Row],
    /// The number of channel cells of the input.
    pub(super) n_inputs: usize,
    /// The number of channel cells of the output.
    pub(super) n_outputs: usize,
    /// The offsets from a square to its inputs.
    pub(super) taps: &'a [isize],
    /// The slots of the squares.
    pub(super) places: Places<'a>,
    /// Positions to sum over.
    pub(super) positions: Range<usize>,
    /// `[output cell][tap][input cell][input channel]` the gradient that the sums are added to.
    pub(super) gradient: &'a mut [Cell],
}

/// The weights of a tap between a cell of input channels and one of output channels.
#[derive(Clone, Copy)]
struct Panel {
    tap: isize,
    input: usize,
    output: usize,
}

impl Kernel for Correlate<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.run_with(simd);
    }
}

impl PairKernel for Convolve<'_, Pair> {
    #[inline(always)]
    fn run<S: PairSimd>(self, simd: S) {
        self.run_with(simd);
    }
}

impl PairKernel for Correlate<'_, Pair> {
    #[inline(always)]
    fn run<S: PairSimd>(self, simd: S) {
        self.run_with(simd);
    }
}

impl<F: Factor> Correlate<'_, F> {
    /// The kernel.
    #[inline(always)]
    pub(super) fn run_with<S: Multiply<F>>(self, simd: S) {
        // One channel per register available for its sums.
        if S::REGISTERS == 32 {
            self.run_tiles::<S, 8>(simd);
        } else {
            self.run_tiles::<S, 4>(simd);
        }
    }

    /// Covers the weights with tiles of R input channels and two vectors of output channels.
    #[inline(always)]
    fn run_tiles<S: Multiply<F>, const R: usize>(mut self, simd: S) {
        let gradient = std::mem::take(&mut self.gradient);
        let mut panels = gradient.chunks_exact_mut(Cell::LEN);
        for output in 0..self.n_outputs {
            for &tap in self.taps {
                for (input, panel) in (0..self.n_inputs).zip(&mut panels) {
                    let (tiles, _) = panel.as_chunks_mut::<R>();
                    let panel = Panel { tap, input, output };
                    for (block, tile) in tiles.iter_mut().enumerate() {
                        for lane in (0..Cell::LEN).step_by(2 * S::LANES) {
                            self.run_tile(simd, panel, block, tile, lane);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn run_tile<S: Multiply<F>, const R: usize>(
        &self,
        simd: S,
        panel: Panel,
        block: usize,
        tile: &mut [Cell; R],
        lane: usize,
    ) {
        let mut sums = [[simd.splat(0.0); 2]; R];
        for (sums, cell) in sums.iter_mut().zip(&*tile) {
            *sums = [simd.load(cell, lane), simd.load(cell, lane + S::LANES)];
        }
        for position in self.positions.clone() {
            let from = (position * self.n_inputs + panel.input) * self.places.stride;
            let from = from.wrapping_add_signed(panel.tap);
            let to = (position * self.n_outputs + panel.output) * self.places.stride;
            for &slot in self.places.slots {
                let input = F::of_row(&self.input[from.wrapping_add(slot)]);
                let (blocks, _) = input.as_chunks::<R>();
                let (channels, output) = (blocks[block], &self.output[to + slot]);
                let left = simd.row(output, lane);
                let right = simd.row(output, lane + S::LANES);
                for channel in 0..R {
                    let input = simd.broadcast(channels[channel]);
                    sums[channel][0] = simd.multiply(input, left, sums[channel][0]);
                    sums[channel][1] = simd.multiply(input, right, sums[channel][1]);
                }
            }
        }
        for (sums, cell) in sums.into_iter().zip(tile) {
            simd.store(cell, lane, sums[0]);
            simd.store(cell, lane + S::LANES, sums[1]);
        }
    }
}

/// The backward pass of a ReLU: sets `gradient` to zero where `output` is not positive, and adds
/// the rest to the gradient of the bias.
pub(super) struct Rectify<'a> {
    /// The output of the ReLU.
    pub(super) output: &'a [Cell],
    /// The gradient of the output on entry, of the input on return.
    pub(super) gradient: &'a mut [Cell],
    /// `[cell]` the gradient of the bias.
    pub(super) bias: &'a mut [Cell],
    /// The slots of the squares.
    pub(super) places: Places<'a>,
    /// The number of positions.
    pub(super) n_positions: usize,
}

impl Kernel for Rectify<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let n_cells = self.bias.len();
        for plane in 0..self.n_positions * n_cells {
            let output = &self.output[plane * self.places.stride..];
            let gradient = &mut self.gradient[plane * self.places.stride..];
            let mut sum = self.bias[plane % n_cells];
            for &slot in self.places.slots {
                let (output, gradient) = (&output[slot].0, &mut gradient[slot].0);
                for lane in 0..Cell::LEN {
                    let passed = if output[lane] > 0.0 {
                        gradient[lane]
                    } else {
                        0.0
                    };
                    gradient[lane] = passed;
                    sum.0[lane] += passed;
                }
            }
            self.bias[plane % n_cells] = sum;
        }
    }
}

/// Sums over the squares: each `[position][cell][slot]` is added to a cell of `output`, which has
/// one cell either per position and channel cell or per channel cell.
pub(super) struct Gather<'a> {
    /// The values to sum.
    pub(super) input: &'a [Cell],
    /// The sums.
    pub(super) output: &'a mut [Cell],
    /// The slots of the squares.
    pub(super) places: Places<'a>,
    /// The number of cells of all positions.
    pub(super) n_planes: usize,
}

impl Kernel for Gather<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let n_outputs = self.output.len();
        for plane in 0..self.n_planes {
            let input = &self.input[plane * self.places.stride..];
            let mut sum = self.output[plane % n_outputs];
            for &slot in self.places.slots {
                for lane in 0..Cell::LEN {
                    sum.0[lane] += input[slot].0[lane];
                }
            }
            self.output[plane % n_outputs] = sum;
        }
    }
}

/// The backward pass of mean and maximum pooling over the squares: the gradient of the mean is
/// spread over all squares, the gradient of the maximum goes to the first square that attains it.
pub(super) struct Unpool<'a> {
    /// The pooled activations.
    pub(super) input: &'a [Cell],
    /// `[position][mean cells, maximum cells]`
    pub(super) pooled: &'a [Cell],
    /// The gradient of `pooled`.
    pub(super) pooled_gradient: &'a [Cell],
    /// The gradient of `input`, to which the result is added.
    pub(super) gradient: &'a mut [Cell],
    /// The slots of the squares.
    pub(super) places: Places<'a>,
    /// The number of channel cells.
    pub(super) n_cells: usize,
    /// The number of positions.
    pub(super) n_positions: usize,
}

impl Kernel for Unpool<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let share = 1.0 / self.places.slots.len() as f32;
        for plane in 0..self.n_positions * self.n_cells {
            let (position, cell) = (plane / self.n_cells, plane % self.n_cells);
            let mean = 2 * position * self.n_cells + cell;
            let maximum = self.pooled[mean + self.n_cells];
            let mean_gradient = self.pooled_gradient[mean];
            let mut maximum_gradient = self.pooled_gradient[mean + self.n_cells];
            let input = &self.input[plane * self.places.stride..];
            let gradient = &mut self.gradient[plane * self.places.stride..];
            for &slot in self.places.slots {
                let (input, gradient) = (&input[slot].0, &mut gradient[slot].0);
                for lane in 0..Cell::LEN {
                    let is_maximum = input[lane] == maximum.0[lane];
                    let passed = if is_maximum {
                        maximum_gradient.0[lane]
                    } else {
                        0.0
                    };
                    maximum_gradient.0[lane] -= passed;
                    gradient[lane] += share * mean_gradient.0[lane] + passed;
                }
            }
        }
    }
}
