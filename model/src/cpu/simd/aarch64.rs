//! Vectors of 64-bit ARM: NEON, which every such processor has.

use std::arch::aarch64::{
    float32x4_t, vaddq_f32, vbslq_f32, vcgtq_f32, vdupq_n_f32, vfmaq_f32, vld1q_f32, vst1q_f32,
};

use super::{Cell, Kernel, Simd};

instruction_set!(
    /// NEON: 4 lanes, 32 registers.
    Neon, float32x4_t, 4, 32, "neon", is_aarch64_feature_detected, ["neon"],
    vdupq_n_f32, vld1q_f32, vst1q_f32, vaddq_f32, max, multiply_add
);

/// The instruction for maxima returns NaN if either lane is NaN, and prefers 0 to -0.
#[inline]
#[target_feature(enable = "neon")]
fn max(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    vbslq_f32(vcgtq_f32(a, b), a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn multiply_add(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
    vfmaq_f32(c, a, b)
}
