//! Products of bf16 pairs, two per lane, with AVX-512 BF16. Contains unsafe code like `simd`, for
//! the same reasons.
//!
//! A bf16 is the upper half of an f32. Products of two are exact in f32, sums are f32, and the
//! second product of a pair is added before the first, each with one rounding. [`Portable`] gives
//! the same results bit for bit, except for numbers below 1e-38, which the instruction flushes to
//! zero.

use super::super::matrix::Matrix;
use super::super::simd::{Cell, Factor, Multiply, Portable};
#[cfg(target_arch = "x86_64")]
use super::super::{instructions::Detected, simd::Avx512Bf16};
use crate::InstructionSet;

/// Two bf16, multiplied with the two of another pair and added; the first is in the lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Pair(u32);

/// A pair for each of 32 channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct PairRow(pub(super) [Pair; Cell::LEN]);

/// 32 channels of one square: each channel of the first half is paired with one of the second half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct PairCell([Pair; Cell::LEN / 2]);

impl Pair {
    const ZERO: Self = Self(0);

    /// Rounds both to the nearest bf16, ties to even.
    #[inline(always)]
    pub(super) fn of(first: f32, second: f32) -> Self {
        let round = |value: f32| {
            let bits = value.to_bits();
            bits.wrapping_add(0x7fff + (bits >> 16 & 1))
        };
        Self(round(first) >> 16 | round(second) & 0xffff_0000)
    }
}

impl PairRow {
    pub(super) const ZERO: Self = Self([Pair::ZERO; Cell::LEN]);

    /// Pairs the channels of two cells.
    #[inline(always)]
    fn set(&mut self, first: &Cell, second: &Cell) {
        for (channel, pair) in self.0.iter_mut().enumerate() {
            *pair = Pair::of(first.0[channel], second.0[channel]);
        }
    }
}

impl PairCell {
    pub(super) const ZERO: Self = Self([Pair::ZERO; Cell::LEN / 2]);
}

impl Factor for Pair {
    type Row = PairRow;
    type Channels = PairCell;
    const STEPS: usize = Cell::LEN / 2;

    #[inline(always)]
    fn of_row(row: &PairRow) -> &[Pair; Cell::LEN] {
        &row.0
    }

    #[inline(always)]
    fn of_channels(channels: &PairCell, step: usize) -> Pair {
        channels.0[step]
    }
}

/// Weights of a convolution in pairs for both directions, with the instructions that multiply them.
#[derive(Clone, Debug)]
pub(super) struct PairLayer {
    pub(super) instructions: PairInstructions,
    pub(super) matrix: Matrix<Pair>,
    pub(super) back: Matrix<Pair>,
}

impl PairLayer {
    pub(super) fn new(instructions: PairInstructions, matrix: &Matrix, back: &Matrix) -> Self {
        let in_pairs = |matrix: &Matrix| matrix.converted(Pair::STEPS, pair_row);
        Self {
            instructions,
            matrix: in_pairs(matrix),
            back: in_pairs(back),
        }
    }
}

/// One row of an input cell in the pairs of a [`PairCell`]. Missing rows are zero.
fn pair_row(rows: &[Cell], step: usize) -> PairRow {
    let row = |index: usize| rows.get(index).unwrap_or(&Cell::ZERO);
    let mut pairs = PairRow::ZERO;
    pairs.set(row(step), row(step + Pair::STEPS));
    pairs
}

/// Pairs of a square with the next slot, which is a square or a ghost: the first slot of each.
pub(super) fn pair_slots(slots: &[usize]) -> Vec<usize> {
    let mut firsts: Vec<usize> = Vec::new();
    for &slot in slots {
        if firsts.last().is_none_or(|first| first + 1 < slot) {
            firsts.push(slot);
        }
    }
    firsts
}

/// Computes convolutions in both directions; holds activations and gradients of a chunk in pairs,
/// for one layer at a time.
#[derive(Debug)]
pub(super) struct Convolutions {
    /// `[position][cell][slot]` the input of a convolution.
    pub(super) cells: Vec<PairCell>,
    /// `[position][cell][slot]` the same, each slot paired with the next.
    pub(super) input: Vec<PairRow>,
    /// `[position][cell][slot]` the gradient of a convolution's output, each slot paired with the
    /// next.
    pub(super) output: Vec<PairRow>,
}

impl Convolutions {
    /// Allocates `n_cells` cells.
    pub(super) fn new(n_cells: usize) -> Self {
        Self {
            cells: vec![PairCell::ZERO; n_cells],
            input: vec![PairRow::ZERO; n_cells],
            output: vec![PairRow::ZERO; n_cells],
        }
    }
}

/// An instruction set that creates and multiplies pairs.
pub(super) trait PairSimd: Multiply<Pair> {
    /// Writes a pair per lane of two vectors, as [`Pair::of`] does.
    fn pair(self, first: Self::Vector, second: Self::Vector, pairs: &mut [Pair]);
}

/// A kernel for such an instruction set.
pub(super) trait PairKernel {
    /// Runs the kernel. Implementations are `#[inline(always)]`.
    fn run<S: PairSimd>(self, simd: S);
}

/// The instructions of this processor that multiply pairs.
#[derive(Clone, Copy, Debug)]
pub(super) enum PairInstructions {
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512Bf16),
    /// The reference in tests; too slow for anything else.
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests use this"))]
    Portable(Portable),
}

impl PairInstructions {
    /// The pair instructions of an instruction set, if the processor has them.
    pub(super) fn of(instructions: InstructionSet) -> Option<Self> {
        match instructions.detected() {
            #[cfg(target_arch = "x86_64")]
            Detected::Avx512(_) => Avx512Bf16::detect().map(Self::Avx512),
            _ => None,
        }
    }

    /// Runs a kernel with these instructions.
    pub(super) fn run(self, kernel: impl PairKernel) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(simd) => simd.run_pairs(kernel),
            Self::Portable(simd) => kernel.run(simd),
        }
    }
}

impl PairSimd for Portable {
    #[inline(always)]
    fn pair(self, first: [f32; 4], second: [f32; 4], pairs: &mut [Pair]) {
        for lane in 0..4 {
            pairs[lane] = Pair::of(first[lane], second[lane]);
        }
    }
}

impl Multiply<Pair> for Portable {
    type Factors = [Pair; 4];

    #[inline(always)]
    fn broadcast(self, factor: Pair) -> [Pair; 4] {
        [factor; 4]
    }

    #[inline(always)]
    fn row(self, row: &PairRow, lane: usize) -> [Pair; 4] {
        std::array::from_fn(|index| row.0[lane + index])
    }

    #[inline(always)]
    fn multiply(self, a: [Pair; 4], b: [Pair; 4], c: [f32; 4]) -> [f32; 4] {
        let first = |pair: Pair| f32::from_bits(pair.0 << 16);
        let second = |pair: Pair| f32::from_bits(pair.0 & 0xffff_0000);
        std::array::from_fn(|lane| {
            let sum = second(a[lane]).mul_add(second(b[lane]), c[lane]);
            first(a[lane]).mul_add(first(b[lane]), sum)
        })
    }
}

/// Rounds channels to bf16.
pub(super) struct Narrow<'a> {
    pub(super) input: &'a [Cell],
    pub(super) output: &'a mut [PairCell],
}

impl PairKernel for Narrow<'_> {
    #[inline(always)]
    fn run<S: PairSimd>(self, simd: S) {
        for (input, output) in self.input.iter().zip(self.output) {
            for lane in (0..Pair::STEPS).step_by(S::LANES) {
                let first = simd.load(input, lane);
                let second = simd.load(input, lane + Pair::STEPS);
                simd.pair(first, second, &mut output.0[lane..lane + S::LANES]);
            }
        }
    }
}

/// Rounds channels to bf16, pairing each slot with the next.
pub(super) struct PairSlots<'a> {
    pub(super) input: &'a [Cell],
    pub(super) output: &'a mut [PairRow],
}

impl PairKernel for PairSlots<'_> {
    #[inline(always)]
    fn run<S: PairSimd>(self, simd: S) {
        for (slot, (input, output)) in self.input.iter().zip(self.output).enumerate() {
            let next = self.input.get(slot + 1).unwrap_or(&Cell::ZERO);
            for lane in (0..Cell::LEN).step_by(S::LANES) {
                let first = simd.load(input, lane);
                let second = simd.load(next, lane);
                simd.pair(first, second, &mut output.0[lane..lane + S::LANES]);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m512bh, __m512i, _mm512_cvtne2ps_pbh, _mm512_dpbf16_ps, _mm512_permutexvar_epi16,
        _mm512_set1_epi32,
    };

    use super::super::super::simd::{Avx512Bf16, Multiply, Simd};
    use super::{Pair, PairKernel, PairRow, PairSimd};

    /// Indices that interleave the words of two halves of a vector.
    const IN_TURNS: [u16; 32] = {
        let mut words = [0; 32];
        let mut word = 0;
        while word < 32 {
            words[word] = (word / 2 + word % 2 * 16) as u16;
            word += 1;
        }
        words
    };

    impl Avx512Bf16 {
        /// Runs a pair kernel compiled for this instruction set.
        #[expect(
            unsafe_code,
            reason = "`self` proves that the processor has the instructions"
        )]
        pub(in super::super) fn run_pairs(self, kernel: impl PairKernel) {
            #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
            fn compiled<K: PairKernel>(simd: Avx512Bf16, kernel: K) {
                kernel.run(simd);
            }
            // SAFETY: `self` exists, so `detect` found the features.
            unsafe { compiled(self, kernel) }
        }
    }

    #[expect(
        unsafe_code,
        reason = "intrinsics; `self` proves that the processor has them"
    )]
    impl Multiply<Pair> for Avx512Bf16 {
        type Factors = __m512bh;

        #[inline(always)]
        fn broadcast(self, factor: Pair) -> __m512bh {
            // SAFETY: `self` exists, so `detect` found the features; the vectors have the same size and no invalid
            // values.
            unsafe {
                let lanes = _mm512_set1_epi32(factor.0.cast_signed());
                std::mem::transmute::<__m512i, __m512bh>(lanes)
            }
        }

        #[inline(always)]
        fn row(self, row: &PairRow, lane: usize) -> __m512bh {
            let lanes = &row.0[lane..lane + Self::LANES];
            // SAFETY: the slice has a vector's length, no alignment is needed, and no value is invalid.
            unsafe { lanes.as_ptr().cast::<__m512bh>().read_unaligned() }
        }

        #[inline(always)]
        fn multiply(self, a: __m512bh, b: __m512bh, c: Self::Vector) -> Self::Vector {
            // SAFETY: `self` exists, so `detect` found the features.
            unsafe { _mm512_dpbf16_ps(c, a, b) }
        }
    }

    #[expect(
        unsafe_code,
        reason = "intrinsics; `self` proves that the processor has them"
    )]
    impl PairSimd for Avx512Bf16 {
        #[inline(always)]
        fn pair(self, first: Self::Vector, second: Self::Vector, pairs: &mut [Pair]) {
            let pairs = &mut pairs[..Self::LANES];
            // SAFETY: `self` exists, so `detect` found the features; all vectors have the same size and no invalid
            // values, the slice has a vector's length, and no alignment is needed.
            unsafe {
                let words = _mm512_cvtne2ps_pbh(second, first);
                let words = std::mem::transmute::<__m512bh, __m512i>(words);
                let in_turns = std::mem::transmute::<[u16; 32], __m512i>(IN_TURNS);
                let words = _mm512_permutexvar_epi16(in_turns, words);
                pairs.as_mut_ptr().cast::<__m512i>().write_unaligned(words);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::kernels::Finish;
    use super::super::layers::Layers;
    use super::super::passes::CHUNK;
    use super::*;
    use crate::{ModelConfig, ModelWeights, Preset, StepPrecision};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use rules::Variant;

    /// The pair instructions of this processor, and the portable reference.
    fn instructions() -> impl Iterator<Item = PairInstructions> {
        let portable = PairInstructions::Portable(Portable);
        std::iter::once(portable).chain(PairInstructions::of(InstructionSet::best()))
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        let bits = |first, second| Pair::of(first, second).0;
        assert_eq!(bits(1.0, -2.0), 0xc000_3f80);
        // A bf16 has 7 bits of fraction, so eight of these are one step: ties go to the even
        // neighbor, all others to the nearest.
        for (eighths, expected) in [(0.0, 0x3f80), (4.0, 0x3f80), (5.0, 0x3f81), (12.0, 0x3f82)] {
            let value = 1.0 + eighths / 1024.0;
            assert_eq!(bits(value, 0.0), expected);
            assert_eq!(bits(0.0, value), expected << 16);
        }
    }

    #[test]
    fn each_square_is_in_one_pair() {
        assert_eq!(pair_slots(&[4, 5, 6, 7, 9, 10, 11]), [4, 6, 9, 11]);
        assert_eq!(pair_slots(&[6, 7, 8, 9, 10, 12]), [6, 8, 10, 12]);
    }

    /// The output of a network's first convolution for given squares, its backward pass, and the
    /// gradient of its weights.
    fn passes(
        config: &ModelConfig,
        pairs: Option<PairInstructions>,
        draw: fn(&mut ChaCha8Rng) -> f32,
    ) -> [Vec<Cell>; 3] {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let initial = ModelWeights::initial(config, &mut rng);
        let mut weights = ModelWeights::new();
        for (name, array) in initial.iter() {
            let values = array.values.iter().map(|_| draw(&mut rng)).collect();
            weights.insert(name, array.shape.clone(), values);
        }
        let best = InstructionSet::best();
        let layers = Layers::with_pairs(config, &weights, best, pairs, StepPrecision::Bf16);
        let layers = layers.expect("valid");
        let layer = layers.first_convolution();
        let (lattice, n_cells) = (&layers.lattice, layer.matrix.n_inputs);
        let mut activations = || {
            let mut cells = vec![Cell::ZERO; lattice.n_slots(CHUNK * n_cells)];
            for plane in 0..CHUNK * n_cells {
                for slot in lattice.slots() {
                    let cell = &mut cells[plane * lattice.stride() + slot];
                    cell.0.fill_with(|| draw(&mut rng));
                }
            }
            cells
        };
        let (input, output) = (activations(), activations());
        let (mut forward, mut back) = (activations(), activations());
        let mut gradient = layers.zero_gradient();
        let mut convolutions = Convolutions::new(input.len());
        convolutions.forward(&layers, layer, &input, &mut forward, Finish::Residual);
        convolutions.backward(&layers, layer, &output, &mut back, Finish::Add);
        convolutions.correlate(&layers, layer, &input, &output, &mut gradient);
        [forward, back, gradient.cells]
    }

    /// Networks with one cell of channels on each board, and one with several.
    fn configs() -> impl Iterator<Item = ModelConfig> {
        let small = Variant::ALL.map(|variant| Preset::Nano.for_variant(variant));
        small
            .into_iter()
            .chain([Preset::Medium.for_variant(Variant::English)])
    }

    #[test]
    fn of_small_integers_every_sum_is_exact() {
        let draw = |rng: &mut ChaCha8Rng| f32::from(rng.random_range(-3i8..=3));
        for config in configs() {
            let expected = passes(&config, None, draw);
            assert!(
                expected[2]
                    .iter()
                    .any(|cell| cell.0.iter().any(|&sum| sum != 0.0))
            );
            for pairs in instructions() {
                assert!(passes(&config, Some(pairs), draw) == expected, "{pairs:?}");
            }
        }
    }

    #[test]
    fn instructions_round_alike_and_little() {
        let draw = |rng: &mut ChaCha8Rng| rng.random_range(-1.0..1.0);
        let length = |cells: &[f32]| cells.iter().map(|x| x * x).sum::<f32>().sqrt();
        for config in configs() {
            let portable = passes(&config, Some(PairInstructions::Portable(Portable)), draw);
            for pairs in instructions() {
                assert!(passes(&config, Some(pairs), draw) == portable, "{pairs:?}");
            }
            for (exact, rounded) in passes(&config, None, draw).iter().zip(&portable) {
                let (exact, rounded) = (Cell::flatten(exact), Cell::flatten(rounded));
                let apart: Vec<f32> = exact.iter().zip(rounded).map(|(a, b)| a - b).collect();
                let share = length(&apart) / length(exact);
                // The relative error of each factor is at most 1/500.
                assert!((1e-4..1.0 / 256.0).contains(&share), "{share}");
            }
        }
    }
}
