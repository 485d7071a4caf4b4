//! Compilation of hot loops for several instruction sets: the only unsafe code of this crate.
//!
//! There are no intrinsics. Loops over fixed-size arrays are compiled once per instruction set and
//! vectorized by the compiler. Integer results are the same for each, and so are floating-point
//! results where the code fixes the order of summation. On 64-bit ARM the portable code already has
//! NEON, which every such processor has, and nothing newer multiplies 16-bit integers faster.

/// An instruction set available on this processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instructions(Set);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Set {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// The fastest available instruction set.
    pub fn best() -> Instructions {
        Instructions::available()[0]
    }

    /// All available instruction sets, fastest first.
    pub fn available() -> Vec<Instructions> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let has_avx2 = has!("avx2") && has!("fma");
            if has_avx2
                && has!("avx512f")
                && has!("avx512bw")
                && has!("avx512vl")
                && has!("avx512vnni")
            {
                sets.push(Set::Avx512);
            }
            if has_avx2 {
                sets.push(Set::Avx2);
            }
        }
        sets.push(Set::Portable);
        sets.into_iter().map(Instructions).collect()
    }

    /// Runs `work`, compiled for these instructions as far as it is inlined: mark closures
    /// `#[inline(always)]`.
    #[inline(always)]
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self.0 {
            Set::Portable => work(),
            #[cfg(target_arch = "x86_64")]
            #[expect(
                unsafe_code,
                reason = "a value of Set::Avx2 exists only where they were detected"
            )]
            // SAFETY: only `available` constructs this value, after detecting the instructions.
            Set::Avx2 => unsafe { with_avx2(work) },
            #[cfg(target_arch = "x86_64")]
            #[expect(
                unsafe_code,
                reason = "a value of Set::Avx512 exists only where they were detected"
            )]
            // SAFETY: as above.
            Set::Avx512 => unsafe { with_avx512(work) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512vnni")]
fn with_avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sets_compute_the_same() {
        let a: [i16; 67] = std::array::from_fn(|i| 37 * i as i16 - 900);
        let b: [i16; 67] = std::array::from_fn(|i| 1000 - 41 * i as i16);
        let products = |i: usize| i32::from(a[i]) * i32::from(b[i]);
        let sum: i32 = (0..a.len()).map(products).sum();
        for set in Instructions::available() {
            let done = set.run(
                #[inline(always)]
                || (0..a.len()).map(products).sum::<i32>(),
            );
            assert_eq!(done, sum, "{set:?}");
        }
    }
}
