//! Vectors of x86-64: AVX-512 and AVX2.

use std::arch::x86_64::{
    __m256, __m512, _mm256_add_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps, _mm256_set1_ps,
    _mm256_storeu_ps, _mm512_add_ps, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_max_ps,
    _mm512_set1_ps, _mm512_storeu_ps,
};

use super::{Cell, Kernel, Simd};

instruction_set!(
    /// AVX-512: 16 lanes, 32 registers.
    Avx512, __m512, 16, 32, "avx512f", is_x86_feature_detected, ["avx512f"],
    _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_max_ps,
    _mm512_fmadd_ps
);

#[cfg(feature = "train")]
instruction_set!(
    /// AVX-512 with products of bf16.
    Avx512Bf16, __m512, 16, 32, "avx512f,avx512bw,avx512bf16", is_x86_feature_detected,
    ["avx512f", "avx512bw", "avx512bf16"],
    _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_max_ps,
    _mm512_fmadd_ps
);

instruction_set!(
    /// AVX2 with fused multiply-add: 8 lanes, 16 registers.
    Avx2, __m256, 8, 16, "avx2,fma", is_x86_feature_detected, ["avx2", "fma"],
    _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_max_ps,
    _mm256_fmadd_ps
);
