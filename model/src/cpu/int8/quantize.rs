//! Quantization from f32 to bytes: the range of each position, and rounding within it.

use super::super::lattice::Lattice;
use super::super::simd::{Cell, Kernel, Simd};
use super::dot::{ByteCell, Dot, DotKernel};

/// The mapping of bytes to f32: value = (byte - zero) * scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) scale: f32,
    pub(crate) zero: u8,
}

/// The source of the ranges of the convolutions' inputs.
#[derive(Clone, Debug)]
pub(in super::super) enum Ranges {
    /// Computed for each position, which is the most precise.
    OfPositions,
    /// The same, also recorded: `[convolution]` the union of the ranges of all positions.
    Noted(Vec<Range>),
    /// `[convolution]` recorded from other positions; values outside are clamped.
    Fixed(Vec<Range>),
}

impl Ranges {
    /// The fixed range of a convolution's input, if any.
    pub(super) fn fixed(&self, number: usize) -> Option<Range> {
        match self {
            Self::Fixed(ranges) => ranges.get(number).copied(),
            Self::OfPositions | Self::Noted(_) => None,
        }
    }

    /// Extends the recorded range of a convolution's input by the ranges of some positions, if
    /// ranges are recorded.
    pub(super) fn note(&mut self, number: usize, ranges: &[Range]) {
        if let Self::Noted(noted) = self {
            noted.resize(noted.len().max(number + 1), Range::EMPTY);
            for range in ranges {
                noted[number] = noted[number].with(*range);
            }
        }
    }
}

impl Range {
    /// The range of an all-zero input.
    pub(super) const EMPTY: Self = Self {
        scale: 0.0,
        zero: 0,
    };

    /// The number of steps from the minimum to the maximum: 255 less one that rounding the zero may
    /// need.
    const STEPS: f32 = 254.0;

    /// The range of values from `-below` to `above`; neither is negative.
    fn of(below: f32, above: f32) -> Self {
        // The lower bound keeps the scale of an empty range above zero.
        let width = (below + above).max(1e-30);
        Self {
            scale: width / Self::STEPS,
            zero: (below * (Self::STEPS / width)).ceil() as u8,
        }
    }

    /// The union of two ranges.
    fn with(self, other: Self) -> Self {
        let ends = |Self { scale, zero }: Self| {
            let below = f32::from(zero) * scale;
            [below, (Self::STEPS * scale - below).max(0.0)]
        };
        let ([a, b], [c, d]) = (ends(self), ends(other));
        Self::of(a.max(c), b.max(d))
    }

    /// The range of a position from the maximum of each channel and the bias added to it, both
    /// `[cell]`.
    #[inline(always)]
    fn new<S: Simd>(simd: S, peaks: &[Cell], bias: &[Cell]) -> Self {
        let nothing = simd.splat(0.0);
        let (mut below, mut above) = (nothing, nothing);
        for (peak, bias) in peaks.iter().zip(bias) {
            for lane in (0..Cell::LEN).step_by(S::LANES) {
                let bias = simd.load(bias, lane);
                let negative = simd.multiply_add(bias, simd.splat(-1.0), nothing);
                below = simd.max(below, negative);
                above = simd.max(above, simd.add(bias, simd.load(peak, lane)));
            }
        }
        Self::of(greatest(simd, below), greatest(simd, above))
    }
}

/// Clamps lanes to 0..=255.
#[inline(always)]
fn clamped<S: Simd>(simd: S, vector: S::Vector) -> S::Vector {
    let (nothing, most) = (simd.splat(0.0), simd.splat(255.0));
    let from_most = |vector| simd.multiply_add(vector, simd.splat(-1.0), most);
    from_most(simd.max(from_most(simd.max(vector, nothing)), nothing))
}

/// The maximum over the lanes; none is negative.
#[inline(always)]
fn greatest<S: Simd>(simd: S, vector: S::Vector) -> f32 {
    let mut lanes = Cell::ZERO;
    simd.store(&mut lanes, 0, vector);
    let higher = |a: f32, b: f32| if b > a { b } else { a };
    let (fours, _) = lanes.0[..S::LANES].as_chunks::<4>();
    let [a, b, c, d] = fours.iter().fold([0.0; 4], |best, four| {
        std::array::from_fn(|index| higher(best[index], four[index]))
    });
    higher(higher(a, b), higher(c, d))
}

/// Quantizes every position to bytes with a range of its own.
pub(super) struct Quantize<'a> {
    /// The layout of the squares.
    pub(super) lattice: &'a Lattice,
    /// The number of channel cells.
    pub(super) n_cells: usize,
    /// `[position][cell][slot]`; no value is negative.
    pub(super) input: &'a [Cell],
    /// `[position][cell]` the maximum values over all squares.
    pub(super) peaks: &'a [Cell],
    /// `[position][cell]` the bias for all squares.
    pub(super) bias: &'a [Cell],
    /// `[position][cell][slot]`; positions do not share ghosts.
    pub(super) output: &'a mut [ByteCell],
    /// The range of all positions; if `None`, each has its own.
    pub(super) fixed: Option<Range>,
    /// `[position]`
    pub(super) ranges: &'a mut [Range],
}

impl DotKernel for Quantize<'_> {
    #[inline(always)]
    fn run<D: Dot>(mut self, dot: D) {
        for position in 0..self.ranges.len() {
            match self.fixed {
                None => self.run_position::<D, false>(dot, position),
                Some(_) => self.run_position::<D, true>(dot, position),
            }
        }
    }
}

impl Quantize<'_> {
    #[inline(always)]
    fn run_position<D: Dot, const CLAMPS: bool>(&mut self, dot: D, position: usize) {
        let (simd, n_slots) = (dot.floats(), self.lattice.n_slots(1));
        let (first, n_cells) = (position * self.n_cells, self.n_cells);
        let bias = &self.bias[first..first + n_cells];
        let own = || Range::new(simd, &self.peaks[first..first + n_cells], bias);
        let range = self.fixed.unwrap_or_else(own);
        let planes = &mut self.output[first * n_slots..][..n_cells * n_slots];
        if range.zero != self.ranges[position].zero {
            let bytes = planes.as_flattened_mut().as_flattened_mut();
            bytes.fill(range.zero);
        }
        self.ranges[position] = range;
        let steps = simd.splat(1.0 / range.scale);
        for (cell, output) in planes.chunks_exact_mut(n_slots).enumerate() {
            let input = &self.input[(first + cell) * self.lattice.stride()..][..n_slots];
            for lane in (0..Cell::LEN).step_by(D::Floats::LANES) {
                let zero = simd.splat(f32::from(range.zero));
                let term = simd.multiply_add(simd.load(&bias[cell], lane), steps, zero);
                for row in self.lattice.rows() {
                    for (input, output) in input[row.clone()].iter().zip(&mut output[row]) {
                        let value = simd.multiply_add(simd.load(input, lane), steps, term);
                        let value = if CLAMPS { clamped(simd, value) } else { value };
                        dot.round(value, output, lane);
                    }
                }
            }
        }
    }
}

/// The maximum of every channel over the squares.
pub(super) struct Peaks<'a> {
    /// The layout of the squares.
    pub(super) lattice: &'a Lattice,
    /// `[position][cell][slot]`; no value is negative.
    pub(super) input: &'a [Cell],
    /// `[position][cell]`
    pub(super) output: &'a mut [Cell],
}

impl Kernel for Peaks<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for (plane, output) in self.output.iter_mut().enumerate() {
            let input = &self.input[plane * self.lattice.stride()..];
            for lane in (0..Cell::LEN).step_by(S::LANES) {
                let peak = self
                    .lattice
                    .slots()
                    .iter()
                    .fold(simd.splat(0.0), |peak, &slot| {
                        simd.max(peak, simd.load(&input[slot], lane))
                    });
                simd.store(output, lane, peak);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::dot::tests::available;
    use super::super::dot::{DotInstructions, GROUPS};
    use super::*;
    use crate::InstructionSet;

    /// Squares and taps of every kind of layer.
    pub(in super::super) const SHAPES: [(usize, usize); 4] = [(32, 5), (32, 9), (50, 5), (50, 9)];
    /// Positions of an [`Input`].
    pub(in super::super) const N_POSITIONS: usize = 3;
    /// Two input cells of every position.
    const N_PLANES: usize = 2 * N_POSITIONS;

    /// The input of a layer.
    pub(in super::super) struct Input {
        pub(in super::super) lattice: Lattice,
        /// `[position][cell][slot]`, ghosts are zero.
        cells: Vec<Cell>,
        /// `[position][cell]`
        bias: Vec<Cell>,
        /// `[position][cell]`
        peaks: Vec<Cell>,
    }

    fn random_cell(rng: &mut ChaCha8Rng, low: f32, high: f32) -> Cell {
        Cell(std::array::from_fn(|_| rng.random_range(low..high)))
    }

    impl Input {
        /// Random values of different magnitude in every position; the first position has no bias.
        pub(in super::super) fn random(
            n_squares: usize,
            n_taps: usize,
            rng: &mut ChaCha8Rng,
        ) -> Self {
            let lattice = Lattice::new(n_squares, n_taps);
            let mut cells = vec![Cell::ZERO; lattice.n_slots(N_PLANES)];
            let mut bias = vec![Cell::ZERO; N_PLANES];
            for plane in 0..N_PLANES {
                let size = 10f32.powi(plane as i32 / 2);
                for slot in lattice.slots() {
                    cells[plane * lattice.stride() + slot] = random_cell(rng, 0.0, size);
                }
                if plane > 1 {
                    bias[plane] = random_cell(rng, -size, size);
                }
            }
            let mut peaks = vec![Cell::ZERO; N_PLANES];
            InstructionSet::best().run(Peaks {
                lattice: &lattice,
                input: &cells,
                output: &mut peaks,
            });
            Self {
                lattice,
                cells,
                bias,
                peaks,
            }
        }

        /// Quantizes the input into a buffer that held another one before.
        pub(in super::super) fn quantize(
            &self,
            instructions: DotInstructions,
        ) -> (Vec<ByteCell>, [Range; N_POSITIONS]) {
            self.quantize_in(instructions, None)
        }

        fn quantize_in(
            &self,
            instructions: DotInstructions,
            fixed: Option<Range>,
        ) -> (Vec<ByteCell>, [Range; N_POSITIONS]) {
            let mut cells = vec![[[77; 4]; GROUPS]; N_PLANES * self.lattice.n_slots(1)];
            let before = Range {
                scale: 1.0,
                zero: 77,
            };
            let mut ranges = [before; N_POSITIONS];
            instructions.run(Quantize {
                lattice: &self.lattice,
                n_cells: 2,
                input: &self.cells,
                peaks: &self.peaks,
                bias: &self.bias,
                output: &mut cells,
                fixed,
                ranges: &mut ranges,
            });
            (cells, ranges)
        }
    }

    #[test]
    fn a_fixed_range_clamps_what_lies_outside() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let input = Input::random(32, 5, &mut rng);
        let fixed = Range {
            scale: 0.05,
            zero: 30,
        };
        let (stride, n_slots) = (input.lattice.stride(), input.lattice.n_slots(1));
        for instructions in available() {
            let (cells, ranges) = input.quantize_in(instructions, Some(fixed));
            assert_eq!(ranges, [fixed; N_POSITIONS]);
            let mut n_clamped = 0;
            for (plane, slot) in
                (0..N_PLANES).flat_map(|p| input.lattice.slots().iter().map(move |s| (p, *s)))
            {
                let bytes = cells[plane * n_slots + slot].as_flattened();
                for (lane, &byte) in bytes.iter().enumerate() {
                    let value =
                        input.cells[plane * stride + slot].0[lane] + input.bias[plane].0[lane];
                    let exact = value / fixed.scale + f32::from(fixed.zero);
                    n_clamped += usize::from(!(0.0..=255.0).contains(&exact));
                    let off = (f32::from(byte) - exact.clamp(0.0, 255.0)).abs();
                    assert!(off < 0.51, "{instructions:?} {byte} {exact}");
                }
            }
            assert!(n_clamped > 100);
        }
    }

    #[test]
    fn noted_ranges_hold_those_of_all_positions() {
        let mut noted = Ranges::Noted(Vec::new());
        let ranges = [Range::of(0.0, 10.0), Range::of(3.0, 2.0), Range::EMPTY];
        noted.note(1, &ranges);
        let Ranges::Noted(found) = noted else {
            unreachable!("the source does not change")
        };
        assert_eq!(found[0], Range::EMPTY);
        let Range { scale, zero } = found[1];
        let (least, greatest) = (-f32::from(zero) * scale, f32::from(255 - zero) * scale);
        assert!((-3.2..=-3.0).contains(&least) && (9.9..=10.2).contains(&greatest));
    }

    #[test]
    fn bytes_stand_for_the_values_and_ghosts_for_zero() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (n_squares, n_taps) in SHAPES {
            let input = Input::random(n_squares, n_taps, &mut rng);
            let (stride, n_slots) = (input.lattice.stride(), input.lattice.n_slots(1));
            for instructions in available() {
                let (cells, ranges) = input.quantize(instructions);
                assert_eq!(ranges[0].zero, 0, "no bias, no negative values");
                for (index, cell) in cells.iter().enumerate() {
                    let (plane, slot) = (index / n_slots, index % n_slots);
                    let is_square = input.lattice.slots().contains(&slot);
                    let range = ranges[plane / 2];
                    let values = input.cells[plane * stride + slot].0;
                    for (lane, &byte) in cell.as_flattened().iter().enumerate() {
                        let found = (f32::from(byte) - f32::from(range.zero)) * range.scale;
                        let (expected, tolerance) = match is_square {
                            true => (values[lane] + input.bias[plane].0[lane], 0.501),
                            false => (0.0, 0.0),
                        };
                        let difference = (found - expected).abs();
                        assert!(difference <= tolerance * range.scale, "{instructions:?}");
                    }
                }
            }
        }
    }
}
