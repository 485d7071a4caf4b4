//! Tests that an evaluation allocates nothing. It has a program of its own because it counts
//! allocations.

#[expect(dead_code, reason = "this program needs only a part")]
#[path = "suite/support/mod.rs"]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use model::{CpuEvaluator, Precision, Preset};
use rules::Variant;
use search::{Batch, Evaluator};
use support::{random_cases, random_weights};

thread_local! {
    static N_ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[expect(
    unsafe_code,
    reason = "the trait is unsafe; every call goes to the system's allocator"
)]
// SAFETY: all calls are forwarded unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        N_ALLOCATIONS.set(N_ALLOCATIONS.get() + 1);
        // SAFETY: the caller upholds the contract of the trait, which is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn evaluation_allocates_nothing() {
    let kinds =
        Variant::GAMES.map(|variant| Precision::OF_CPU.map(|precision| (variant, precision)));
    for (variant, precision) in kinds.into_iter().flatten() {
        let config = Preset::Nano.for_variant(variant);
        let weights = random_weights(&config, 1);
        let mut evaluator =
            CpuEvaluator::with_precision(variant, &config, &weights, precision).unwrap();
        let cases = random_cases(variant, 50, 2);
        let mut batch = Batch::new();
        for case in &cases {
            batch.push(&case.position, case.repetitions, &case.moves);
        }
        let before = N_ALLOCATIONS.get();
        evaluator.evaluate(&mut batch).unwrap();
        assert_eq!(N_ALLOCATIONS.get(), before, "{variant} {precision}");
    }
}
