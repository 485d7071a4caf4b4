//! Runs histories by seed: all of them, or the requested ones.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

const SEEDS_VARIABLE: &str = "CROWNHEAD_SEEDS";
/// The outcome that no history may have.
const BADLY: &str = "badly";

/// The requested seeds: `7` or `100..200`.
fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var(SEEDS_VARIABLE) else {
        return usual;
    };
    let number = |text: &str| text.parse::<u64>().unwrap();
    match text.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => number(&text)..number(&text) + 1,
    }
}

/// Runs the histories of all seeds on all cores and counts their outcomes. The second argument of
/// `live` is true for a single requested seed, which is printed.
pub(crate) fn live_through(usual: Range<u64>, live: impl Fn(u64, bool) -> &'static str + Sync) {
    let seeds = seeds(usual);
    let is_told = seeds.end - seeds.start == 1;
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut endings = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return endings;
            }
            let ending = catch_unwind(AssertUnwindSafe(|| live(seed, is_told)));
            endings.push((ending.unwrap_or(BADLY), seed));
        }
    };
    let n_threads = thread::available_parallelism().unwrap().get();
    let mut endings: Vec<(&str, u64)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    endings.sort_unstable();
    for alike in endings.chunk_by(|a, b| a.0 == b.0) {
        println!("{} histories end {}", alike.len(), alike[0].0);
    }
    endings.retain(|(ending, _)| *ending == BADLY);
    let failed: Vec<u64> = endings.into_iter().map(|(_, seed)| seed).collect();
    let first = failed.first().copied().unwrap_or_default();
    assert!(
        failed.is_empty(),
        "the histories of seeds {failed:?} end {BADLY}; each is told by {SEEDS_VARIABLE}={first} cargo test \
         --release -p {} --test {} -- --nocapture",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_CRATE_NAME"),
    );
}
