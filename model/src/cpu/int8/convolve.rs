//! The convolution of bytes, generic over [`Dot`].

use super::super::kernels::Finish;
use super::super::lattice::Lattice;
use super::super::simd::{Cell, Simd};
use super::dot::{ByteCell, Dot, DotKernel, GROUPS, WeightCell};
use super::matrix::ByteMatrix;
use super::quantize::Range;

/// For every square: output = finish(bias + input cells selected by the taps * weights).
pub(super) struct Convolve<'a> {
    /// The layout of the squares.
    pub(super) lattice: &'a Lattice,
    /// Weights.
    pub(super) matrix: &'a ByteMatrix,
    /// `[position][cell][slot]`; positions do not share ghosts.
    pub(super) input: &'a [ByteCell],
    /// `[position]` the quantization range of the input.
    pub(super) ranges: &'a [Range],
    /// `[position][cell][slot]`
    pub(super) output: &'a mut [Cell],
    /// The operation before storing.
    pub(super) finish: Finish,
    /// `[position][cell]` the maximum output of every channel, at least 0.
    pub(super) peaks: &'a mut [Cell],
}

/// The place of a tile.
#[derive(Clone, Copy)]
struct Place {
    position: usize,
    /// The output cell.
    output: usize,
    /// The first slot.
    slot: usize,
    /// The first channel of the output cell.
    lane: usize,
}

impl DotKernel for Convolve<'_> {
    #[inline(always)]
    fn run<D: Dot>(self, dot: D) {
        // A tile of a whole band needs 32 registers, one of a board row 16.
        match (self.lattice.width, self.lattice.gap, D::Floats::REGISTERS) {
            (4, 0, 32) => self.run_tiles::<D, 4, 0, 8>(dot),
            (4, _, 32) => self.run_tiles::<D, 4, 1, 8>(dot),
            (_, 0, 32) => self.run_tiles::<D, 5, 0, 10>(dot),
            (_, _, 32) => self.run_tiles::<D, 5, 1, 10>(dot),
            (4, 0, _) => self.run_tiles::<D, 4, 0, 4>(dot),
            (4, _, _) => self.run_tiles::<D, 4, 1, 4>(dot),
            (_, 0, _) => self.run_tiles::<D, 5, 0, 5>(dot),
            (_, _, _) => self.run_tiles::<D, 5, 1, 5>(dot),
        }
    }
}

impl Convolve<'_> {
    /// Covers the boards with tiles of R squares: a band if R is 2 W, a board row if R is W.
    #[inline(always)]
    fn run_tiles<D: Dot, const W: usize, const GAP: usize, const R: usize>(mut self, dot: D) {
        let n_outputs = self.matrix.n_outputs();
        for output in 0..n_outputs {
            for position in 0..self.ranges.len() {
                self.peaks[position * n_outputs + output] = Cell::ZERO;
                for band in self.lattice.bands() {
                    for first in (0..2 * W).step_by(R) {
                        let slot = band + first + if first == W { GAP } else { 0 };
                        for lane in (0..Cell::LEN).step_by(2 * D::Floats::LANES) {
                            let place = Place {
                                position,
                                output,
                                slot,
                                lane,
                            };
                            self.run_tile::<D, W, GAP, R>(dot, place);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn run_tile<D: Dot, const W: usize, const GAP: usize, const R: usize>(
        &mut self,
        dot: D,
        place: Place,
    ) {
        // In a band, the second row's squares follow the gap.
        let offset = |row: usize| if row < W { row } else { row + GAP };
        let (n_inputs, n_slots) = (self.matrix.n_inputs, self.lattice.n_slots(1));
        let from = place.position * n_inputs * n_slots + place.slot;
        let lanes = [place.lane, place.lane + D::Floats::LANES];
        let totals = &self.matrix.totals[place.output];
        let mut tile = [lanes.map(|lane| dot.begin(dot.floats().load(totals, lane))); R];
        let mut panels = self.matrix.panels(place.output).iter();
        for &tap in &self.lattice.taps {
            let start = from.wrapping_add_signed(tap);
            for (cell, panel) in panels.by_ref().take(n_inputs).enumerate() {
                let window = &self.input[start + cell * n_slots..][..offset(R - 1) + 1];
                let rows = std::array::from_fn(|row| &window[offset(row)]);
                accumulate::<D, R>(dot, &mut tile, rows, panel, place.lane);
            }
        }
        let floats = dot.floats();
        let lines = [
            self.line(dot, place, lanes[0]),
            self.line(dot, place, lanes[1]),
        ];
        let plane = place.position * self.matrix.n_outputs() + place.output;
        let to = plane * self.lattice.stride() + place.slot;
        let window = &mut self.output[to..][..offset(R - 1) + 1];
        let mut peaks = [floats.splat(0.0); 2];
        for (row, sums) in tile.into_iter().enumerate() {
            for half in [0, 1] {
                let (factor, term) = lines[half];
                let value = floats.multiply_add(dot.to_floats(sums[half]), factor, term);
                let cell = &mut window[offset(row)];
                let value = self.finish.store(floats, value, cell, lanes[half]);
                peaks[half] = floats.max(peaks[half], value);
            }
        }
        let cell = &mut self.peaks[plane];
        for (peak, lane) in peaks.into_iter().zip(lanes) {
            floats.store(cell, lane, floats.max(peak, floats.load(cell, lane)));
        }
    }

    /// The factor and the term that convert the sums of some outputs to f32.
    #[inline(always)]
    fn line<D: Dot>(&self, dot: D, place: Place, lane: usize) -> (Floats<D>, Floats<D>) {
        let (floats, range) = (dot.floats(), self.ranges[place.position]);
        let load = |cells: &[Cell]| floats.load(&cells[place.output], lane);
        let product = |a, b| floats.multiply_add(a, floats.splat(b), floats.splat(0.0));
        let factor = product(load(&self.matrix.scales), range.scale);
        let zeros = product(load(&self.matrix.totals), -f32::from(range.zero));
        let term = floats.multiply_add(zeros, factor, load(&self.matrix.bias));
        (factor, term)
    }
}

type Floats<D> = <<D as Dot>::Floats as Simd>::Vector;

/// Adds the products of one input cell's channels per row with their weights.
#[inline(always)]
fn accumulate<D: Dot, const R: usize>(
    dot: D,
    tile: &mut [[D::Sums; 2]; R],
    rows: [&ByteCell; R],
    panel: &[WeightCell; GROUPS],
    lane: usize,
) {
    for (group, weights) in panel.iter().enumerate() {
        let left = dot.load(weights, lane);
        let right = dot.load(weights, lane + D::Floats::LANES);
        for r in 0..R {
            let input = dot.splat(rows[r][group]);
            tile[r][0] = dot.dot(tile[r][0], input, left);
            tile[r][1] = dot.dot(tile[r][1], input, right);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::super::simd::Portable;
    use super::super::dot::DotInstructions;
    use super::super::dot::tests::available;
    use super::super::quantize::tests::{Input, N_POSITIONS, SHAPES};
    use super::*;

    /// The products of two cells of channels with their weights, for one output.
    fn products(
        cells: [ByteCell; 2],
        zero: u8,
        panels: &[[WeightCell; GROUPS]],
        lane: usize,
    ) -> i32 {
        let bytes = cells.as_flattened().as_flattened();
        let weights = panels.as_flattened().iter().flat_map(|group| group.0[lane]);
        let product =
            |(byte, weight): (&u8, i8)| (i32::from(*byte) - i32::from(zero)) * i32::from(weight);
        bytes.iter().zip(weights).map(product).sum()
    }

    #[test]
    fn convolutions_sum_what_the_bytes_stand_for() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for (n_squares, n_taps) in SHAPES {
            let input = Input::random(n_squares, n_taps, &mut rng);
            let mut signed = || rng.random_range(-1.0..1.0);
            let weights: Vec<f32> = (0..n_taps * 64 * 32).map(|_| signed()).collect();
            let bias: Vec<f32> = (0..32).map(|_| signed()).collect();
            let matrix = ByteMatrix::pack(&weights, n_taps, &bias);
            let outputs = available().into_iter();
            let outputs = outputs.map(|set| check_convolution(&input, &matrix, set));
            // The first set is the portable one.
            let outputs: Vec<_> = outputs.skip(usize::from(!Portable::FUSES)).collect();
            assert!(outputs.iter().all(|output| *output == outputs[0]));
        }
    }

    /// Compares a convolution with a sum of products, and returns its output.
    fn check_convolution(
        input: &Input,
        matrix: &ByteMatrix,
        instructions: DotInstructions,
    ) -> Vec<Cell> {
        let (stride, n_slots) = (input.lattice.stride(), input.lattice.n_slots(1));
        let (cells, ranges) = input.quantize(instructions);
        let mut output = vec![Cell::ZERO; input.lattice.n_slots(N_POSITIONS)];
        let mut peaks = vec![Cell([f32::MAX; Cell::LEN]); N_POSITIONS];
        instructions.run(Convolve {
            lattice: &input.lattice,
            matrix,
            input: &cells,
            ranges: &ranges,
            output: &mut output,
            finish: Finish::Relu,
            peaks: &mut peaks,
        });
        for (position, lane) in (0..N_POSITIONS).flat_map(|p| (0..Cell::LEN).map(move |l| (p, l))) {
            let range = ranges[position];
            let mut peak = 0.0f32;
            for &slot in input.lattice.slots() {
                let mut sum = 0;
                for (tap, panels) in input.lattice.taps.iter().zip(matrix.panels(0).chunks(2)) {
                    let first = (2 * position * n_slots + slot).wrapping_add_signed(*tap);
                    sum += products(
                        [cells[first], cells[first + n_slots]],
                        range.zero,
                        panels,
                        lane,
                    );
                }
                let expected =
                    sum as f32 * range.scale * matrix.scales[0].0[lane] + matrix.bias[0].0[lane];
                let found = output[position * stride + slot].0[lane];
                let difference = (found - expected.max(0.0)).abs();
                assert!(
                    difference < 0.01 * range.scale,
                    "{instructions:?} {found} {expected}"
                );
                peak = peak.max(found);
            }
            assert_eq!(peaks[position].0[lane], peak, "{instructions:?}");
        }
        let is_ghost = |slot: &usize| !input.lattice.slots().contains(&(slot % stride));
        assert!(
            (0..output.len())
                .filter(is_ghost)
                .all(|slot| output[slot] == Cell::ZERO)
        );
        output
    }
}
