//! Checks on fixed games that the recorded root values predict the results.

use std::sync::atomic::AtomicBool;

use lab::doctor::ValueScores;
use roster::{ModelSource, bundled_networks};
use run::config::ConfigSources;
use run::evaluators::Evaluators;
use selfplay::{Job, play_games};
use store::{Header, Record};
use trainer::Compute;

const GAMES: u32 = 800;
/// In points from -1 to 1. The mean over all simulations, which visit bad moves on purpose, is 0.07
/// to 0.08 too low; the policy's mean without shrinking is up to 0.02 too high.
const HIGHEST_BIAS: f64 = 0.01;
/// Required standard error of the bias: the number of games makes it small enough to detect such a
/// bias.
const LARGEST_ERROR: f64 = 0.005;

/// Self-play games of the bundled network with the default searches.
fn games(source: &ModelSource) -> Vec<Record> {
    let loaded = source.load().unwrap();
    let config = ConfigSources::default()
        .resolve(loaded.model.variant)
        .unwrap()
        .config;
    let selfplay = config.self_play();
    let header = Header::new(loaded.model.variant, 1, 0, loaded.model.net_id());
    let numbers: Vec<u32> = (0..GAMES).collect();
    let job = Job {
        search: &loaded.search,
        config: &selfplay,
        header: &header,
        numbers: &numbers,
    };
    let threads = 2;
    let mut evaluators = Evaluators::new(
        &loaded.model,
        loaded.precision,
        &Compute::Cpu,
        threads,
        selfplay.concurrent_games,
    )
    .unwrap()
    .all(threads);
    let mut records = Vec::new();
    play_games(
        &job,
        &mut evaluators,
        &AtomicBool::new(false),
        |record, _| {
            records.push(record);
            Ok(())
        },
    )
    .unwrap();
    records
}

#[test]
fn values_are_right_on_average_and_better_than_the_networks_own() {
    for variant in bundled_networks() {
        let scores = ValueScores::of(&games(&ModelSource::Bundled(Some(variant)))).unwrap();
        let (bias, gain) = (scores.bias, scores.gain);
        println!(
            "{variant}: bias {:+.4} ±{:.4}, squared error less by {:.4} ±{:.4}, {} games",
            bias.mean, bias.error, gain.mean, gain.error, scores.games
        );
        assert!(bias.mean.abs() < HIGHEST_BIAS, "{variant}: {bias:?}");
        assert!(bias.error < LARGEST_ERROR, "{variant}: {bias:?}");
        assert!(gain.mean > 2.0 * gain.error, "{variant}: {gain:?}");
    }
}
