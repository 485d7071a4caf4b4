//! Byte products on x86-64: VNNI in 512 and 256 bits, and an emulation with AVX2.

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

/// Implements [`Dot`] with intrinsics.
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
            /// Returns the proof that this processor has the instructions, if it does.
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
    /// AVX-512 with VNNI: 64 products per instruction.
    Avx512Vnni, Avx512, __m512i, 16, "avx512f,avx512vnni", "avx512vnni",
    _mm512_setzero_si512, _mm512_set1_epi32, _mm512_loadu_si512, _mm512_dpbusd_epi32,
    _mm512_cvtepi32_ps, round_avx512
);

dot_instructions!(
    /// AVX2 with VNNI: 32 products per instruction.
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
    // SAFETY: the caller guarantees 16 bytes; no alignment is needed.
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
    // SAFETY: the caller guarantees 8 bytes; no alignment is needed.
    unsafe { _mm_storel_epi64(output.cast(), _mm_packus_epi16(words, words)) }
}

/// Like `_mm256_dpbusd_epi32`: even and odd bytes are widened to 16 bits, because
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
