//! Perft speed of the move generator in leaves per second, single-threaded, with bulk counting at
//! the last ply.

use divan::Bencher;
use divan::counter::ItemsCount;
use rules::{Position, Variant, perft};

/// The first depth with at least half a million leaves.
fn depth(position: &Position) -> usize {
    let is_enough = |depth: &usize| perft(position, *depth) >= 500_000;
    (1..).find(is_enough).unwrap_or(1)
}

#[divan::bench(args = Variant::ALL, sample_count = 20, sample_size = 1)]
fn start(bencher: Bencher, variant: Variant) {
    let position = Position::start(variant);
    let depth = depth(&position);
    let leaves = perft(&position, depth);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench(|| perft(&position, depth));
}

fn main() {
    divan::main();
}
