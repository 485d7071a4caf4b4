//! Memory asked for before it is needed.

/// Asks for the memory of an element, so that it has come when it is read; nothing where there is no such element or
/// the processor knows no such hint.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(
            unsafe_code,
            reason = "a third of the time on the way down was waiting for the next node (BENCHMARKS.md)"
        )]
        // SAFETY: every x86-64 processor has the instruction, which reads nothing and fails at no address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
