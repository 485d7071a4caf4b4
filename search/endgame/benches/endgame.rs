//! `cargo bench -p crownhead-endgame`: building and probing with three pieces.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use endgame::Database;
use rules::Variant;

fn main() {
    divan::main();
}

fn three_pieces(variant: Variant) -> Database {
    Database::build(variant, 3, |_| ()).expect("three pieces are allowed")
}

/// Positions solved per second.
#[divan::bench(args = Variant::GAMES, sample_count = 5, sample_size = 1)]
fn build(bencher: Bencher<'_, '_>, variant: Variant) {
    let n_positions = three_pieces(variant).n_positions();
    bencher
        .counter(ItemsCount::new(n_positions))
        .bench_local(|| three_pieces(variant));
}

/// Positions probed per second, in random order.
#[divan::bench(args = Variant::GAMES)]
fn probe(bencher: Bencher<'_, '_>, variant: Variant) {
    let database = three_pieces(variant);
    let sample = database.sample(1000, 1);
    bencher
        .counter(ItemsCount::new(sample.len()))
        .bench_local(|| {
            for solved in &sample {
                black_box(database.probe(black_box(&solved.position)));
            }
        });
}
