//! Tests that simulations allocate nothing once a search and a batch are warm.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rules::{Game, Position, Variant};
use search::{Batch, Search, SearchConfig, Uniform, search_all};

thread_local! {
    static N_ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[expect(
    unsafe_code,
    reason = "an allocator cannot be written without it; this one only counts"
)]
// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        N_ALLOCATIONS.with(|n| n.set(n.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Heap allocations of a second search of the same games, from beginning to end.
fn allocations_of(config: SearchConfig, variant: Variant) -> u64 {
    let mut searches = [(); 4].map(|()| Search::new(config, Search::memory_for(100)));
    let mut batch = Batch::new();
    let game = Game::new(Position::start(variant));
    let mut before = 0;
    for _ in 0..2 {
        before = N_ALLOCATIONS.get();
        for (seed, search) in searches.iter_mut().enumerate() {
            search.begin(&game, 100, &mut ChaCha8Rng::seed_from_u64(seed as u64));
        }
        search_all(&mut searches, &mut Uniform, &mut batch).expect("finite numbers");
    }
    N_ALLOCATIONS.get() - before
}

#[test]
fn a_warm_search_allocates_nothing() {
    let noisy = SearchConfig {
        puct_noise_weight: 0.25,
        ..SearchConfig::KATAGO
    };
    for variant in Variant::ALL {
        for config in [SearchConfig::PAPER, noisy] {
            assert_eq!(allocations_of(config, variant), 0, "{variant} {config:?}");
        }
    }
}
