//! Byte products, four per lane, with the processor's instructions for them. Contains unsafe code
//! like `simd`, for the same reasons.
//!
//! All sums are exact, so every instruction set gives the same results.

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
    /// The initial sums. Instructions that know signed bytes only multiply activations less 128 and
    /// compensate for it here.
    ///
    /// `totals` is the sum of all weights that each output will be multiplied with.
    fn begin(self, totals: <Self::Floats as Simd>::Vector) -> Self::Sums;
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
    #[cfg(target_arch = "aarch64")]
    Neon(aarch64::NeonDot),
    #[cfg(target_arch = "aarch64")]
    DotProd(aarch64::DotProd),
    #[cfg(target_arch = "aarch64")]
    I8mm(aarch64::I8mm),
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
        let found = match instructions.detected() {
            Detected::Portable(_) => None,
            #[cfg(target_arch = "aarch64")]
            Detected::Neon(_) => Self::neon().next(),
            #[cfg(target_arch = "x86_64")]
            Detected::Avx512(_) => Self::avx512().chain(Self::avx2()).next(),
            #[cfg(target_arch = "x86_64")]
            Detected::Avx2(_) => Self::avx2().next(),
        };
        found.unwrap_or(Self::Portable(Portable))
    }

    /// The instructions of this processor for 4 lanes, fastest first.
    #[cfg(target_arch = "aarch64")]
    fn neon() -> impl Iterator<Item = Self> {
        let unsigned = aarch64::I8mm::detect().map(Self::I8mm);
        let signed = aarch64::DotProd::detect().map(Self::DotProd);
        let plain = aarch64::NeonDot::detect().map(Self::Neon);
        [unsigned, signed, plain].into_iter().flatten()
    }

    /// The instructions of this processor for 8 lanes, fastest first.
    #[cfg(target_arch = "x86_64")]
    fn avx2() -> impl Iterator<Item = Self> {
        let vnni = x86::AvxVnni::detect().map(Self::AvxVnni);
        let plain = x86::Avx2Dot::detect().map(Self::Avx2);
        [vnni, plain].into_iter().flatten()
    }

    /// The instructions of this processor for 16 lanes.
    #[cfg(target_arch = "x86_64")]
    fn avx512() -> impl Iterator<Item = Self> {
        x86::Avx512Vnni::detect().map(Self::Avx512Vnni).into_iter()
    }

    /// Runs a kernel with these instructions.
    pub(super) fn run(self, kernel: impl DotKernel) {
        match self {
            Self::Portable(dot) => Dot::run(dot, kernel),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(dot) => dot.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Self::DotProd(dot) => dot.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Self::I8mm(dot) => dot.run(kernel),
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
    fn begin(self, _: [f32; 4]) -> [i32; 4] {
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

/// Implements [`Dot`] with intrinsics.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! dot_instructions {
    (
        $(#[$doc:meta])* $name:ident, $floats:ident, $sums:ident, $bytes:ident, $lanes:literal,
        $features:literal, $is_detected:ident, $detected:tt, $begin:ident, $splat:ident, $load:ident,
        $dot:ident, $to_floats:ident, $round:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(in super::super::super) struct $name($floats);

        impl $name {
            /// Returns the proof that this processor has the instructions, if it does.
            pub(super) fn detect() -> Option<Self> {
                let floats = $floats::detect().map(Self);
                floats.filter(|_| std::arch::$is_detected!($detected))
            }
        }

        #[expect(unsafe_code, reason = "intrinsics; `self` proves that the processor has them")]
        impl Dot for $name {
            type Floats = $floats;
            type Sums = $sums;
            type Bytes = $bytes;

            fn run<K: DotKernel>(self, kernel: K) {
                #[target_feature(enable = $features)]
                fn compiled<K: DotKernel>(dot: $name, kernel: K) {
                    kernel.run(dot);
                }
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { compiled(self, kernel) }
            }

            #[inline(always)]
            fn floats(self) -> $floats {
                self.0
            }

            #[inline(always)]
            fn begin(self, totals: <$floats as Simd>::Vector) -> $sums {
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { $begin(totals) }
            }

            #[inline(always)]
            fn splat(self, group: [u8; 4]) -> $bytes {
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { $splat(i32::from_le_bytes(group)) }
            }

            #[inline(always)]
            fn load(self, weights: &WeightCell, lane: usize) -> $bytes {
                let groups = &weights.0[lane..lane + $lanes];
                // SAFETY: the features as above; the slice has a register's length, and the
                // instruction needs no alignment.
                unsafe { $load(groups.as_ptr().cast()) }
            }

            #[inline(always)]
            fn dot(self, sums: $sums, activations: $bytes, weights: $bytes) -> $sums {
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { $dot(sums, activations, weights) }
            }

            #[inline(always)]
            fn to_floats(self, sums: $sums) -> <$floats as Simd>::Vector {
                // SAFETY: `self` exists, so `detect` found the features.
                unsafe { $to_floats(sums) }
            }

            #[inline(always)]
            fn round(
                self,
                values: <$floats as Simd>::Vector,
                output: &mut ByteCell,
                lane: usize,
            ) {
                let bytes = &mut output.as_flattened_mut()[lane..lane + $lanes];
                // SAFETY: the features as above; the slice has the length that is written.
                unsafe { $round(values, bytes.as_mut_ptr()) }
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// All instructions available on this processor.
    pub(in super::super) fn available() -> Vec<DotInstructions> {
        let mut all = vec![DotInstructions::Portable(Portable)];
        #[cfg(target_arch = "aarch64")]
        all.extend(DotInstructions::neon());
        #[cfg(target_arch = "x86_64")]
        all.extend(DotInstructions::avx2().chain(DotInstructions::avx512()));
        all
    }

    /// Two accumulated products as f32, and the bytes of `values`.
    struct Exercise<'a> {
        groups: [[u8; 4]; 2],
        weights: &'a WeightCell,
        totals: &'a Cell,
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
                let sums = dot.begin(floats.load(self.totals, lane));
                let sums = dot.dot(sums, dot.splat(self.groups[0]), weights);
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
        let totals = weights.0.map(|row| row.map(f32::from).iter().sum::<f32>());
        let totals = Cell(totals.map(|total| 2.0 * total));
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
                totals: &totals,
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
