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

dot_instructions!(
    /// AVX-512 with VNNI: 64 products per instruction.
    Avx512Vnni, Avx512, __m512i, __m512i, 16, "avx512f,avx512vnni",
    is_x86_feature_detected, "avx512vnni", begin_avx512, _mm512_set1_epi32, _mm512_loadu_si512, _mm512_dpbusd_epi32,
    _mm512_cvtepi32_ps, round_avx512
);

dot_instructions!(
    /// AVX2 with VNNI: 32 products per instruction.
    AvxVnni, Avx2, __m256i, __m256i, 8, "avx2,fma,avxvnni", is_x86_feature_detected, "avxvnni",
    begin_avx2, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_dpbusd_avx_epi32,
    _mm256_cvtepi32_ps, round_avx2
);

dot_instructions!(
    /// AVX2 alone.
    Avx2Dot, Avx2, __m256i, __m256i, 8, "avx2,fma", is_x86_feature_detected, "avx2",
    begin_avx2, _mm256_set1_epi32, _mm256_loadu_si256, dot_avx2,
    _mm256_cvtepi32_ps, round_avx2
);

#[inline]
#[target_feature(enable = "avx512f")]
fn begin_avx512(_: __m512) -> __m512i {
    _mm512_setzero_si512()
}

#[inline]
#[target_feature(enable = "avx2")]
fn begin_avx2(_: __m256) -> __m256i {
    _mm256_setzero_si256()
}

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
