//! Numeric precision of inference and training.

use std::fmt;

settings::choice! {
    /// Numeric precision of inference. [`StepPrecision`] is the precision of training.
    ///
    /// Processors support [`Int8`](Self::Int8), most devices of burn [`F16`](Self::F16), and
    /// NVIDIA's through CUDA also [`Bf16`](Self::Bf16); others fall back to [`F32`](Self::F32).
    #[derive(Hash)]
    pub enum Precision {
        /// 32 bits, as stored.
        F32 = "f32",
        /// 16 bits, on a GPU.
        F16 = "f16",
        /// The upper 16 bits of 32, rounded, on a GPU: less precise than `f16`, with the range of
        /// `f32`.
        Bf16 = "bf16",
        /// 8 bits for the weights and inputs of the convolutions; sums, and all other layers, have
        /// 32. AVX2 and NEON make it fast, instructions for products of bytes even more so.
        Int8 = "int8",
    }
}

settings::choice! {
    /// Numeric precision of the products in convolutions during training. Sums, weights and all
    /// other layers use 32 bits.
    pub enum StepPrecision {
        /// 32 bits.
        F32 = "f32",
        /// The upper 16 bits of 32, rounded, on processors with AVX-512 BF16 and devices that have
        /// them. Other devices use 16 bits of `f16` with a scaled loss, or 32 bits like other
        /// processors.
        Bf16 = "bf16",
    }
}

impl Precision {
    /// The precisions available on a processor, most precise first.
    pub const OF_CPU: [Self; 2] = [Self::F32, Self::Int8];
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
