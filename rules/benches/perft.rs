//! Leaves per second of the move generator, one thread, the last ply counted from the list.

use divan::Bencher;
use divan::counter::ItemsCount;
use rules::{Position, Variant, perft};

/// A depth per variant with about a million leaves.
fn depth(variant: Variant) -> usize {
    match variant {
        Variant::English => 9,
        Variant::Customary | Variant::CustomaryFinish | Variant::Thai | Variant::ThaiLiftAfter => 7,
        Variant::Frisian | Variant::FrisianPlain | Variant::Ringboard => 8,
    }
}

#[divan::bench(args = Variant::ALL, sample_count = 20, sample_size = 1)]
fn start(bencher: Bencher, variant: Variant) {
    let position = Position::start(variant);
    let leaves = perft(&position, depth(variant));
    bencher
        .counter(ItemsCount::new(leaves))
        .bench(|| perft(&position, depth(variant)));
}

fn main() {
    divan::main();
}
