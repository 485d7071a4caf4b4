//! Run-time selection of the instruction set for inference.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(target_arch = "aarch64")]
use super::simd::Neon;
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::simd::{Kernel, Portable, Simd};
use crate::Precision;

/// An instruction set available on this processor.
#[derive(Clone, Copy)]
pub struct InstructionSet(Detected);

/// The number of fastest sets that [`InstructionSet::best`] skips.
static PASSED_OVER: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone, Copy)]
pub(super) enum Detected {
    Portable(Portable),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl InstructionSet {
    /// The fastest available instruction set, unless [`Self::narrow_to`] has selected a slower one.
    pub fn best() -> Self {
        Self::available()
            .nth(PASSED_OVER.load(Ordering::Relaxed))
            .unwrap_or(Self(Detected::Portable(Portable)))
    }

    /// Makes this process compute like a processor whose fastest instruction set has this name.
    ///
    /// # Errors
    /// The available names, if this processor lacks the instruction set; nothing changes then.
    pub fn narrow_to(name: &str) -> Result<(), String> {
        let names: Vec<&str> = Self::available().map(|set| set.name()).collect();
        let place = names.iter().position(|known| *known == name);
        let place = place.ok_or_else(|| {
            let names = names.join(", ");
            format!("this processor has no instructions {name:?}, but {names}")
        })?;
        PASSED_OVER.store(place, Ordering::Relaxed);
        Ok(())
    }

    /// All available instruction sets, fastest first; the last one is `portable`.
    pub fn available() -> impl Iterator<Item = Self> {
        let portable = std::iter::once(Detected::Portable(Portable));
        #[cfg(target_arch = "x86_64")]
        let vectors = {
            let wide = Avx512::detect().map(Detected::Avx512).into_iter();
            wide.chain(Avx2::detect().map(Detected::Avx2))
        };
        #[cfg(target_arch = "aarch64")]
        let vectors = Neon::detect().map(Detected::Neon).into_iter();
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let vectors = std::iter::empty();
        vectors.chain(portable).map(Self)
    }

    /// The proof that this processor has the instructions.
    pub(super) fn detected(self) -> Detected {
        self.0
    }

    /// True if a product and a sum are rounded once, together.
    #[cfg(test)]
    pub(super) fn fuses(self) -> bool {
        Portable::FUSES || !matches!(self.0, Detected::Portable(_))
    }

    /// `avx512`, `avx2`, `neon` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Detected::Portable(_) => "portable",
            #[cfg(target_arch = "aarch64")]
            Detected::Neon(_) => "neon",
            #[cfg(target_arch = "x86_64")]
            Detected::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Detected::Avx512(_) => "avx512",
        }
    }

    /// Runs a kernel with these instructions.
    pub fn run(self, kernel: impl Kernel) {
        match self.0 {
            Detected::Portable(simd) => simd.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Detected::Neon(simd) => simd.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Detected::Avx2(simd) => simd.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Detected::Avx512(simd) => simd.run(kernel),
        }
    }
}

impl Precision {
    /// The precision to use with these instructions when this one is requested: without byte
    /// products, 8 bits are slower than 32.
    #[must_use]
    pub fn by(self, instructions: InstructionSet) -> Self {
        match (self, instructions.0) {
            (Self::Int8, Detected::Portable(_)) => Self::F32,
            (precision, _) => precision,
        }
    }
}

impl fmt::Debug for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_for_processors_that_multiply_them() {
        for instructions in InstructionSet::available() {
            let is_portable = instructions.name() == "portable";
            let expected = if is_portable {
                Precision::F32
            } else {
                Precision::Int8
            };
            assert_eq!(
                Precision::Int8.by(instructions),
                expected,
                "{instructions:?}"
            );
            assert_eq!(Precision::F16.by(instructions), Precision::F16);
        }
    }
}
