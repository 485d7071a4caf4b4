//! Memory prefetching.

/// Prefetches an element; does nothing if the index is out of range or the architecture has no such
/// instruction.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(
            unsafe_code,
            reason = "a third of the time on the way down was waiting for the next node (BENCHMARKS.md)"
        )]
        // SAFETY: every x86-64 processor has the instruction, which does not access memory
        // architecturally and cannot fault.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
