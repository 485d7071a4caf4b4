//! The whole loop for every ruleset, and on every kind of device that is always available.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use rules::Variant;
use run::config::{ConfigSources, Resolved};
use run::{Event, MetricsLog, Run, advance_until};
use store::ModelId;

fn tiny(variant: Variant, set: &[&str]) -> Resolved {
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        set: set.iter().map(|text| (*text).to_owned()).collect(),
        ..ConfigSources::default()
    };
    sources.resolve(variant).unwrap()
}

/// Trains one generation in a new directory.
fn train(path: &Path, variant: Variant, settings: Resolved) -> Run {
    let mut run = Run::create(path, variant, settings).unwrap();
    let mut metrics = MetricsLog::open(&run);
    advance_until(&mut run, Some(1), &AtomicBool::new(false), &mut metrics).unwrap();
    run
}

#[test]
fn every_ruleset_trains() {
    let dir = tempfile::tempdir().unwrap();
    for variant in Variant::ALL {
        let run = train(
            &dir.path().join(variant.name()),
            variant,
            tiny(variant, &[]),
        );
        assert_eq!(run.model(ModelId(1)).unwrap().variant, variant);
        let lines = run.dir().metrics().unwrap();
        let measured = lines
            .iter()
            .any(|line| line.values.contains_key("endgame/blunders"));
        assert!(measured, "{variant}: {lines:?}");
    }
}

#[test]
fn a_device_of_burn_trains_too() {
    let variant = Variant::ALL[0];
    let dir = tempfile::tempdir().unwrap();
    let set = |device| [FEW, &[device]].concat();
    let path = dir.path().join("flex");
    let run = train(&path, variant, tiny(variant, &set("device=flex")));
    assert_eq!(run.dir().models().unwrap(), [ModelId(0), ModelId(1)]);

    let missing = dir.path().join("missing");
    for device in ["device=cuda", "train.device=cuda"] {
        let settings = tiny(variant, &set(device));
        let error = Run::create(&missing, variant, settings).err().unwrap();
        assert!(error.to_string().contains("device `cuda`"), "{error}");
        assert!(!missing.exists(), "nothing was begun");
    }
}

#[test]
fn steps_are_computed_where_their_own_setting_says() {
    let variant = Variant::ALL[0];
    let dir = tempfile::tempdir().unwrap();
    let [cpu, device] = ["same", "flex"].map(|name| {
        let device = format!("train.device={name}");
        let settings = tiny(variant, &[FEW, &[&device]].concat());
        train(&dir.path().join(name), variant, settings)
    });
    let games = |run: &Run| {
        let games = run.dir().games(variant).read(1).unwrap().records;
        games.into_iter().map(|game| game.plies).collect::<Vec<_>>()
    };
    assert_eq!(games(&cpu), games(&device), "the processor plays");
    let learned = |run: &Run| run.model(ModelId(1)).unwrap().weights;
    assert_ne!(learned(&cpu), learned(&device), "the last bits differ");
}

/// A little self-play and training and very short matches: burn on the CPU is slow.
const FEW: &[&str] = &[
    "threads=1",
    "selfplay.games_per_generation=4",
    "selfplay.concurrent_games=4",
    "search.simulations=2",
    "train.samples_per_position=1",
    "gate.every_generations=2",
    "rating.every_generations=2",
];

#[test]
fn a_run_is_begun_once_and_stays_what_it_is() {
    let (variant, other) = (Variant::ALL[0], Variant::ALL[3]);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    drop(Run::create(&path, variant, tiny(variant, &[])).unwrap());
    let again = Run::create(&path, variant, tiny(variant, &[]));
    assert!(again.is_err(), "there is a run");
    let error = Run::resume(&path, other, &tiny(other, &[])).err().unwrap();
    assert!(error.is_request(), "{error}");
    let mut unseen = |_: &Run, _: &Event<'_>| Ok(());
    let mut run = Run::resume(&path, variant, &tiny(variant, &[])).unwrap();
    let stopped = AtomicBool::new(true);
    advance_until(&mut run, None, &stopped, &mut unseen).unwrap();
    assert_eq!(
        run.state().games,
        0,
        "a flag that is set already starts nothing"
    );
}
