//! `cargo bench -p crownhead-store`: packing records and drawing batches, per game or per batch.

#[path = "../tests/suite/support/mod.rs"]
mod support;

use divan::Bencher;
use divan::counter::ItemsCount;
use rules::Variant;
use store::{Games, Record, ReplayWindow, WindowConfig};
use support::{MAX_PLIES, id, record};

fn main() {
    divan::main();
}

fn records(variant: Variant) -> Vec<Record> {
    (0..100)
        .map(|number| record(variant, id(1, number), 1, MAX_PLIES))
        .collect()
}

fn n_plies(records: &[Record]) -> ItemsCount {
    ItemsCount::new(
        records
            .iter()
            .map(|record| record.plies.len())
            .sum::<usize>(),
    )
}

fn config() -> WindowConfig {
    WindowConfig {
        min_samples: 1_000_000,
        max_samples: 1_000_000,
        growth_power: 0.65,
        growth_slope: 0.4,
        policy_surprise: 0.5,
        value_surprise: 0.1,
        held_out: 0.0,
    }
}

/// Plies per second encoded, without zstd.
#[divan::bench(args = Variant::GAMES)]
fn encode(bencher: Bencher<'_, '_>, variant: Variant) {
    let records = records(variant);
    bencher.counter(n_plies(&records)).bench_local(|| {
        records
            .iter()
            .filter_map(|record| record.encode().ok())
            .count()
    });
}

/// Plies per second decoded and replayed.
#[divan::bench(args = Variant::GAMES)]
fn decode(bencher: Bencher<'_, '_>, variant: Variant) {
    let records = records(variant);
    let bytes: Vec<_> = records
        .iter()
        .filter_map(|record| record.encode().ok())
        .collect();
    bencher.counter(n_plies(&records)).bench_local(|| {
        bytes
            .iter()
            .filter_map(|bytes| Record::decode(bytes).ok())
            .count()
    });
}

/// Plies per second written to disk, including zstd and syncs.
#[divan::bench(args = Variant::GAMES)]
fn append(bencher: Bencher<'_, '_>, variant: Variant) {
    let records = records(variant);
    bencher
        .counter(n_plies(&records))
        .with_inputs(tempfile::tempdir)
        .bench_local_values(|dir| {
            let dir = dir.expect("a temporary directory");
            let mut writer = Games::new(dir.path(), variant)
                .writer(1)
                .expect("an empty directory");
            records.iter().all(|record| writer.append(record).is_ok()) && writer.sync().is_ok()
        });
}

/// Plies per second added to the window.
#[divan::bench(args = Variant::GAMES)]
fn push(bencher: Bencher<'_, '_>, variant: Variant) {
    let records = records(variant);
    bencher
        .counter(n_plies(&records))
        .with_inputs(|| ReplayWindow::new(config()))
        .bench_local_refs(|window| records.iter().for_each(|record| window.push(record)));
}

/// Samples per second drawn.
#[divan::bench(args = Variant::GAMES)]
fn batch(bencher: Bencher<'_, '_>, variant: Variant) {
    let mut window = ReplayWindow::new(config());
    records(variant)
        .iter()
        .for_each(|record| window.push(record));
    let mut step = 0;
    bencher
        .counter(ItemsCount::new(1024_usize))
        .bench_local(|| {
            step += 1;
            window.batch(1, step, 1024)
        });
}
