//! Numeric precision of inference and training.

use std::fmt;

settings::choice! {
    /// The numbers in which the trunk's blocks may be computed by networks that play;
    /// [`StepPrecision`] is how they learn.
    ///
    /// A processor has [`Int8`](Self::Int8) and a device of burn mostly has [`F16`](Self::F16);
    /// what has no such numbers computes in [`F32`](Self::F32).
    #[derive(Hash)]
    pub enum Precision {
        /// The network's own 32 bits.
        F32 = "f32",
        /// 16 bits, on a GPU.
        F16 = "f16",
        /// 8 bits for the weights and inputs of the convolutions; sums, and all other layers, have
        /// 32. Fast where the processor has AVX2, and most of all with VNNI instructions.
        Int8 = "int8",
    }
}

settings::choice! {
    /// The numbers that convolutions multiply in a training step. Sums, weights and all other
    /// layers have 32 bits.
    pub enum StepPrecision {
        /// 32 bits.
        F32 = "f32",
        /// The upper 16 bits of 32, rounded: on a processor with AVX-512 BF16. What has no such
        /// products multiplies 32 bits.
        Bf16 = "bf16",
    }
}

impl Precision {
    /// The precisions of a processor, the most exact first.
    pub const OF_CPU: [Self; 2] = [Self::F32, Self::Int8];
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
