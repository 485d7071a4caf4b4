//! Byte products on 64-bit ARM: `usdot` (i8mm), `sdot` (dotprod), and an emulation with NEON.

use std::arch::aarch64::{
    float32x4_t, int8x16_t, int32x4_t, vcombine_u16, vcvtnq_u32_f32, vcvtq_f32_s32, vcvtq_s32_f32,
    vdupq_n_s8, vdupq_n_s32, veorq_s8, vget_low_s8, vld1q_s8, vmovn_u16, vmovn_u32, vmull_high_s8,
    vmull_s8, vpadalq_s16, vpaddq_s16, vreinterpret_u32_u8, vreinterpretq_s8_s32, vshlq_n_s32,
    vst1_lane_u32,
};
use std::arch::asm;

use super::super::super::simd::{Neon, Simd};
use super::{ByteCell, Dot, DotKernel, WeightCell};

dot_instructions!(
    /// NEON with i8mm: 16 products of unsigned and signed bytes per instruction. The matrix
    /// products of i8mm would need another order of the weights.
    I8mm, Neon, int32x4_t, int8x16_t, 4, "neon,i8mm", is_aarch64_feature_detected, "i8mm",
    begin_unsigned, splat, vld1q_s8, usdot, vcvtq_f32_s32, round
);

dot_instructions!(
    /// NEON with dotprod: 16 products of signed bytes per instruction.
    DotProd, Neon, int32x4_t, int8x16_t, 4, "neon,dotprod", is_aarch64_feature_detected, "dotprod",
    begin_signed, splat_signed, vld1q_s8, sdot, vcvtq_f32_s32, round
);

dot_instructions!(
    /// NEON alone.
    NeonDot, Neon, int32x4_t, int8x16_t, 4, "neon", is_aarch64_feature_detected, "neon",
    begin_signed, splat_signed, vld1q_s8, dot_neon, vcvtq_f32_s32, round
);

#[inline]
#[target_feature(enable = "neon")]
fn begin_unsigned(_: float32x4_t) -> int32x4_t {
    vdupq_n_s32(0)
}

/// The sums that activations of 128 would give.
#[inline]
#[target_feature(enable = "neon")]
fn begin_signed(totals: float32x4_t) -> int32x4_t {
    vshlq_n_s32::<7>(vcvtq_s32_f32(totals))
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(group: i32) -> int8x16_t {
    vreinterpretq_s8_s32(vdupq_n_s32(group))
}

/// The activations less 128.
#[inline]
#[target_feature(enable = "neon")]
fn splat_signed(group: i32) -> int8x16_t {
    veorq_s8(splat(group), vdupq_n_s8(i8::MIN))
}

/// Writes 4 bytes to `output`.
#[inline]
#[target_feature(enable = "neon")]
#[expect(unsafe_code, reason = "writes through a pointer")]
unsafe fn round(values: float32x4_t, output: *mut u8) {
    let words = vmovn_u32(vcvtnq_u32_f32(values));
    let bytes = vreinterpret_u32_u8(vmovn_u16(vcombine_u16(words, words)));
    // SAFETY: the caller guarantees 4 bytes; no alignment is needed.
    unsafe { vst1_lane_u32::<0>(output.cast(), bytes) }
}

/// The intrinsic is not stable yet.
#[inline]
#[target_feature(enable = "neon,i8mm")]
#[expect(unsafe_code, reason = "an instruction without a stable intrinsic")]
fn usdot(mut sums: int32x4_t, activations: int8x16_t, weights: int8x16_t) -> int32x4_t {
    // SAFETY: the function has the feature, and the instruction changes its output only.
    unsafe {
        asm!(
            "usdot {sums:v}.4s, {activations:v}.16b, {weights:v}.16b",
            sums = inout(vreg) sums,
            activations = in(vreg) activations,
            weights = in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sums
}

/// The intrinsic is not stable yet.
#[inline]
#[target_feature(enable = "neon,dotprod")]
#[expect(unsafe_code, reason = "an instruction without a stable intrinsic")]
fn sdot(mut sums: int32x4_t, activations: int8x16_t, weights: int8x16_t) -> int32x4_t {
    // SAFETY: the function has the feature, and the instruction changes its output only.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {activations:v}.16b, {weights:v}.16b",
            sums = inout(vreg) sums,
            activations = in(vreg) activations,
            weights = in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sums
}

/// Like `sdot`. Weights are at least -127, so sums of two products fit 16 bits.
#[inline]
#[target_feature(enable = "neon")]
fn dot_neon(sums: int32x4_t, activations: int8x16_t, weights: int8x16_t) -> int32x4_t {
    let low = vmull_s8(vget_low_s8(activations), vget_low_s8(weights));
    let high = vmull_high_s8(activations, weights);
    vpadalq_s16(sums, vpaddq_s16(low, high))
}
