//! Products of bytes, four to a lane, in the instructions that processors have for them. Unsafe
//! like `simd`, and by the same proof.
//!
//! All sums are exact, so every instruction set gives the same ones.

use super::super::instructions::Detected;
use super::super::simd::{Cell, Portable, Simd};
use crate::Instructions;

/// 32 channels of one square in 8 bits, in groups of four.
pub(super) type ByteCell = [[u8; 4]; GROUPS];

/// Groups of four channels in a cell.
pub(super) const GROUPS: usize = Cell::LEN / 4;

/// The weights of four input channels for 32 outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct WeightCell(pub(super) [[i8; 4]; Cell::LEN]);

/// Instructions that multiply bytes, together with those for f32 of the same width.
pub(super) trait Dot: Copy {
    /// Vectors of f32.
    type Floats: Simd;
    /// One register of i32, as many as [`Self::Floats`] has lanes.
    type Sums: Copy;
    /// One register of bytes, four for each lane.
    type Bytes: Copy;

    /// Runs `kernel` compiled for this instruction set.
    fn run<K: DotKernel>(self, kernel: K);
    /// The instructions for f32.
    fn floats(self) -> Self::Floats;
    /// Sums of nothing.
    fn zero(self) -> Self::Sums;
    /// The same four activations in all lanes.
    fn splat(self, group: [u8; 4]) -> Self::Bytes;
    /// The weights of the outputs from `lane` on.
    fn load(self, weights: &WeightCell, lane: usize) -> Self::Bytes;
    /// Every lane of `sums` plus the products of its four activations and weights.
    fn dot(self, sums: Self::Sums, activations: Self::Bytes, weights: Self::Bytes) -> Self::Sums;
    /// The nearest f32.
    fn to_floats(self, sums: Self::Sums) -> <Self::Floats as Simd>::Vector;
    /// Writes the nearest integers, which are 0 to 255, from channel `lane` on.
    fn round(self, values: <Self::Floats as Simd>::Vector, output: &mut ByteCell, lane: usize);
}

/// Work on bytes that is written once and compiled for every instruction set.
pub(super) trait DotKernel {
    /// Does the work. Implementations are `#[inline(always)]`.
    fn run<D: Dot>(self, dot: D);
}

/// The best way to multiply bytes that goes with some [`Instructions`].
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
    /// Those that are at most as wide as `instructions`.
    pub(in super::super) fn new(instructions: Instructions) -> Self {
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
        // Beside this number an f32 has no room for fractions: its lowest bits are the integer.
        output[lane / 4] = values.map(|value| (value + 12_582_912.0).to_bits() as u8);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m256i, __m512, __m512i, _mm_packus_epi16, _mm_packus_epi32, _mm_storel_epi64,
        _mm_storeu_si128, _mm256_add_epi32, _mm256_and_si256, _mm256_castsi256_si128,
        _mm256_cvtepi32_ps, _mm256_cvtps_epi32, _mm256_dpbusd_avx_epi32, _mm256_extracti128_si256,
        _mm256_loadu_si256, _mm256_madd_epi16, _mm256_set1_epi16, _mm256_set1_epi32,
        _mm256_setzero_si256, _mm256_slli_epi16, _mm256_srai_epi16, _mm256_srli_epi16,
        _mm512_cvtepi32_epi8, _mm512_cvtepi32_ps, _mm512_cvtps_epi32, _mm512_dpbusd_epi32,
        _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512,
    };

    use super::super::super::simd::{Avx2, Avx512, Simd};
    use super::{ByteCell, Dot, DotKernel, WeightCell};

    /// Implements [`Dot`] by intrinsics.
    macro_rules! dot_instructions {
        (
            $(#[$doc:meta])* $name:ident, $floats:ident, $register:ident, $lanes:literal,
            $features:literal, $detected:tt, $zero:ident, $splat:ident, $load:ident,
            $dot:ident, $to_floats:ident, $round:ident
        ) => {
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub(in super::super::super) struct $name($floats);

            impl $name {
                /// The proof that this processor has the instructions, if it has.
                pub(super) fn detect() -> Option<Self> {
                    let floats = $floats::detect().map(Self);
                    floats.filter(|_| std::arch::is_x86_feature_detected!($detected))
                }
            }

            #[expect(unsafe_code, reason = "intrinsics; `self` proves that the processor has them")]
            impl Dot for $name {
                type Floats = $floats;
                type Sums = $register;
                type Bytes = $register;

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
                fn zero(self) -> $register {
                    // SAFETY: `self` exists, so `detect` found the features.
                    unsafe { $zero() }
                }

                #[inline(always)]
                fn splat(self, group: [u8; 4]) -> $register {
                    // SAFETY: `self` exists, so `detect` found the features.
                    unsafe { $splat(i32::from_le_bytes(group)) }
                }

                #[inline(always)]
                fn load(self, weights: &WeightCell, lane: usize) -> $register {
                    let groups = &weights.0[lane..lane + $lanes];
                    // SAFETY: the features as above; the slice has a register's length, and the
                    // instruction needs no alignment.
                    unsafe { $load(groups.as_ptr().cast()) }
                }

                #[inline(always)]
                fn dot(
                    self,
                    sums: $register,
                    activations: $register,
                    weights: $register,
                ) -> $register {
                    // SAFETY: `self` exists, so `detect` found the features.
                    unsafe { $dot(sums, activations, weights) }
                }

                #[inline(always)]
                fn to_floats(self, sums: $register) -> <$floats as Simd>::Vector {
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

    dot_instructions!(
        /// AVX-512 with VNNI: 64 products an instruction.
        Avx512Vnni, Avx512, __m512i, 16, "avx512f,avx512vnni", "avx512vnni",
        _mm512_setzero_si512, _mm512_set1_epi32, _mm512_loadu_si512, _mm512_dpbusd_epi32,
        _mm512_cvtepi32_ps, round_avx512
    );

    dot_instructions!(
        /// AVX2 with VNNI: 32 products an instruction.
        AvxVnni, Avx2, __m256i, 8, "avx2,fma,avxvnni", "avxvnni",
        _mm256_setzero_si256, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_dpbusd_avx_epi32,
        _mm256_cvtepi32_ps, round_avx2
    );

    dot_instructions!(
        /// AVX2 alone.
        Avx2Dot, Avx2, __m256i, 8, "avx2,fma", "avx2",
        _mm256_setzero_si256, _mm256_set1_epi32, _mm256_loadu_si256, dot_avx2,
        _mm256_cvtepi32_ps, round_avx2
    );

    /// Writes 16 bytes to `output`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    #[expect(unsafe_code, reason = "writes through a pointer")]
    unsafe fn round_avx512(values: __m512, output: *mut u8) {
        let bytes = _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(values));
        // SAFETY: the caller vouches for 16 bytes; no alignment is needed.
        unsafe { _mm_storeu_si128(output.cast(), bytes) }
    }

    /// Writes 8 bytes to `output`.
    #[inline]
    #[target_feature(enable = "avx2")]
    #[expect(unsafe_code, reason = "writes through a pointer")]
    unsafe fn round_avx2(values: __m256, output: *mut u8) {
        let integers = _mm256_cvtps_epi32(values);
        let low = _mm256_castsi256_si128(integers);
        let high = _mm256_extracti128_si256::<1>(integers);
        let words = _mm_packus_epi32(low, high);
        // SAFETY: the caller vouches for 8 bytes; no alignment is needed.
        unsafe { _mm_storel_epi64(output.cast(), _mm_packus_epi16(words, words)) }
    }

    /// As `_mm256_dpbusd_epi32`: even and odd bytes are widened to 16 bits, because
    /// `_mm256_maddubs_epi16` would saturate.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn dot_avx2(sums: __m256i, activations: __m256i, weights: __m256i) -> __m256i {
        let even = _mm256_madd_epi16(
            _mm256_and_si256(activations, _mm256_set1_epi16(0xff)),
            _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(weights)),
        );
        let odd = _mm256_madd_epi16(
            _mm256_srli_epi16::<8>(activations),
            _mm256_srai_epi16::<8>(weights),
        );
        _mm256_add_epi32(sums, _mm256_add_epi32(even, odd))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// All that this processor can do.
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

    /// Two products on top of each other as f32, and the bytes of `values`.
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
        // The greatest products there are, which 16 bits cannot hold, and some others.
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
        // Halves go to the even neighbour.
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
