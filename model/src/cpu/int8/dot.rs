//! Byte products, four per lane, with the processor's instructions for them. Contains unsafe code
//! like `simd`, for the same reasons.
//!
//! All sums are exact, so every instruction set gives the same results.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::super::instructions::Detected;
use super::super::simd::{Cell, Portable, Simd};
use crate::InstructionSet;

/// 32 channels of one square in 8 bits, in groups of four.
pub(super) type ByteCell = [[u8; 4]; GROUPS];

/// Groups of four channels in a cell.
pub(super) const GROUPS: usize = Cell::LEN / 4;

/// The weights of four input channels for 32 outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct WeightCell(pub(super) [[i8; 4]; Cell::LEN]);

/// Instructions that multiply bytes, with matching f32 instructions of the same width.
pub(super) trait Dot: Copy {
    /// Vectors of f32.
    type Floats: Simd;
    /// A register of i32, with as many lanes as [`Self::Floats`].
    type Sums: Copy;
    /// A register of bytes, four per lane.
    type Bytes: Copy;

    /// Runs `kernel` compiled for this instruction set.
    fn run<K: DotKernel>(self, kernel: K);
    /// The instructions for f32.
    fn floats(self) -> Self::Floats;
    /// Sums initialized to zero.
    fn zero(self) -> Self::Sums;
    /// The same four activations in all lanes.
    fn splat(self, group: [u8; 4]) -> Self::Bytes;
    /// The weights of the outputs starting at `lane`.
    fn load(self, weights: &WeightCell, lane: usize) -> Self::Bytes;
    /// Adds the products of four activations and weights to every lane of `sums`.
    fn dot(self, sums: Self::Sums, activations: Self::Bytes, weights: Self::Bytes) -> Self::Sums;
    /// Converts to the nearest f32.
    fn to_floats(self, sums: Self::Sums) -> <Self::Floats as Simd>::Vector;
    /// Rounds values in 0..=255 to the nearest integers and writes them, starting at channel
    /// `lane`.
    fn round(self, values: <Self::Floats as Simd>::Vector, output: &mut ByteCell, lane: usize);
}

/// A kernel on bytes, compiled for every instruction set.
pub(super) trait DotKernel {
    /// Runs the kernel. Implementations are `#[inline(always)]`.
    fn run<D: Dot>(self, dot: D);
}

/// The best byte products available with an [`InstructionSet`].
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum DotInstructions {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2Dot),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(x86::AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(x86::Avx512Vnni),
}

impl DotInstructions {
    /// Selects instructions that are at most as wide as `instructions`.
    pub(in super::super) fn new(instructions: InstructionSet) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let wide = || x86::Avx512Vnni::detect().map(Self::Avx512Vnni);
            let narrow = || {
                let vnni = x86::AvxVnni::detect().map(Self::AvxVnni);
                vnni.or_else(|| x86::Avx2Dot::detect().map(Self::Avx2))
            };
            let found = match instructions.detected() {
                Detected::Avx512(_) => wide().or_else(narrow),
                Detected::Avx2(_) => narrow(),
                Detected::Portable(_) => None,
            };
            found.unwrap_or(Self::Portable(Portable))
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let Detected::Portable(portable) = instructions.detected();
            Self::Portable(portable)
        }
    }

    /// Runs a kernel with these instructions.
    pub(super) fn run(self, kernel: impl DotKernel) {
        match self {
            Self::Portable(dot) => Dot::run(dot, kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(dot) => dot.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni(dot) => dot.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni(dot) => dot.run(kernel),
        }
    }
}

impl Dot for Portable {
    type Floats = Self;
    type Sums = [i32; 4];
    type Bytes = [u8; 16];

    fn run<K: DotKernel>(self, kernel: K) {
        kernel.run(self);
    }

    #[inline(always)]
    fn floats(self) -> Self {
        self
    }

    #[inline(always)]
    fn zero(self) -> [i32; 4] {
        [0; 4]
    }

    #[inline(always)]
    fn splat(self, group: [u8; 4]) -> [u8; 16] {
        std::array::from_fn(|index| group[index % 4])
    }

    #[inline(always)]
    fn load(self, weights: &WeightCell, lane: usize) -> [u8; 16] {
        let groups = &weights.0[lane..lane + 4];
        std::array::from_fn(|index| groups[index / 4][index % 4].cast_unsigned())
    }

    #[inline(always)]
    fn dot(self, mut sums: [i32; 4], activations: [u8; 16], weights: [u8; 16]) -> [i32; 4] {
        for (index, (a, w)) in activations.into_iter().zip(weights).enumerate() {
            sums[index / 4] += i32::from(a) * i32::from(w.cast_signed());
        }
        sums
    }

    #[inline(always)]
    fn to_floats(self, sums: [i32; 4]) -> [f32; 4] {
        sums.map(|sum| sum as f32)
    }

    #[inline(always)]
    fn round(self, values: [f32; 4], output: &mut ByteCell, lane: usize) {
        // An f32 of this magnitude has no fractional bits: its lowest bits are the integer.
        output[lane / 4] = values.map(|value| (value + 12_582_912.0).to_bits() as u8);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// All instructions available on this processor.
    pub(in super::super) fn available() -> Vec<DotInstructions> {
        let mut all = vec![DotInstructions::Portable(Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(x86::Avx2Dot::detect().map(DotInstructions::Avx2));
            all.extend(x86::AvxVnni::detect().map(DotInstructions::AvxVnni));
            all.extend(x86::Avx512Vnni::detect().map(DotInstructions::Avx512Vnni));
        }
        all
    }

    /// Two accumulated products as f32, and the bytes of `values`.
    struct Exercise<'a> {
        groups: [[u8; 4]; 2],
        weights: &'a WeightCell,
        sums: &'a mut Cell,
        values: &'a Cell,
        bytes: &'a mut ByteCell,
    }

    impl DotKernel for Exercise<'_> {
        #[inline(always)]
        fn run<D: Dot>(self, dot: D) {
            let floats = dot.floats();
            for lane in (0..Cell::LEN).step_by(D::Floats::LANES) {
                let weights = dot.load(self.weights, lane);
                let sums = dot.dot(dot.zero(), dot.splat(self.groups[0]), weights);
                let sums = dot.dot(sums, dot.splat(self.groups[1]), weights);
                floats.store(self.sums, lane, dot.to_floats(sums));
                dot.round(floats.load(self.values, lane), self.bytes, lane);
            }
        }
    }

    #[test]
    fn all_instructions_give_the_exact_sums_and_the_nearest_bytes() {
        // The largest possible products, which exceed 16 bits, and some others.
        let groups = [[255, 255, 255, 255], [0, 3, 128, 254]];
        let extremes = [[127; 4], [-127; 4], [127, 127, -127, -127], [-1, 0, 1, 2]];
        let other = |i: usize, j: usize| (i as i8 - 16).wrapping_mul(7).wrapping_add(j as i8 * 31);
        let row = |i: usize| match extremes.get(i) {
            Some(row) => *row,
            None => std::array::from_fn(|j| other(i, j)),
        };
        let weights = WeightCell(std::array::from_fn(row));
        let expected = |i: usize| {
            let product = |j: usize| {
                let activation = i32::from(groups[0][j]) + i32::from(groups[1][j]);
                activation * i32::from(weights.0[i][j])
            };
            (0..4).map(product).sum::<i32>() as f32
        };
        // Ties go to the even neighbor.
        let values = Cell(std::array::from_fn(|i| i as f32 * 8.125));
        for instructions in available() {
            let (mut sums, mut bytes) = (Cell::ZERO, [[0; 4]; GROUPS]);
            instructions.run(Exercise {
                groups,
                weights: &weights,
                sums: &mut sums,
                values: &values,
                bytes: &mut bytes,
            });
            for (index, (sum, byte)) in sums.0.iter().zip(bytes.as_flattened()).enumerate() {
                assert_eq!(*sum, expected(index), "{instructions:?} {index}");
                let nearest = values.0[index].round_ties_even();
                assert_eq!(f32::from(*byte), nearest, "{instructions:?} {index}");
            }
        }
    }
}
