//! Missing, foreign and exchanged files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use eval::{GateReport, Verdict};
use rules::Variant;
use run::config::ConfigSources;
use run::integrity::{RunFault, check, repair};
use run::{MetricsLog, Ratings, Run, advance_until};
use store::{ModelId, RunDir, RunWriter};

use crate::opening::copy;

static NEVER: AtomicBool = AtomicBool::new(false);
const VARIANT: Variant = Variant::ALL[0];

/// A run of three generations with its curves.
fn trained(path: &Path, seed: u64) {
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        seed: Some(seed),
        ..ConfigSources::default()
    };
    let settings = sources.resolve(VARIANT).unwrap();
    let mut run = Run::create(path, VARIANT, settings).unwrap();
    let mut metrics = MetricsLog::open(&run);
    advance_until(&mut run, Some(3), &NEVER, &mut metrics).unwrap();
}

fn remove(path: &Path) {
    match path.is_dir() {
        true => fs::remove_dir_all(path).unwrap(),
        false => fs::remove_file(path).unwrap(),
    }
}

/// The faults of a file.
fn faults_of<'a>(faults: &'a [RunFault], path: &Path) -> Vec<&'a RunFault> {
    faults.iter().filter(|fault| fault.path == path).collect()
}

/// Two runs, and a copy of the first, which has a champion, for each test.
struct Runs {
    dir: tempfile::TempDir,
    n_copies: usize,
}

impl Runs {
    fn new() -> Runs {
        let dir = tempfile::tempdir().unwrap();
        trained(&dir.path().join("whole"), 2);
        trained(&dir.path().join("other"), 1);
        Runs { dir, n_copies: 0 }
    }

    fn other(&self) -> PathBuf {
        self.dir.path().join("other")
    }

    fn copy(&mut self) -> PathBuf {
        self.n_copies += 1;
        let run = self.dir.path().join(self.n_copies.to_string());
        copy(&self.dir.path().join("whole"), &run);
        run
    }
}

fn champion_of(run: &Path) -> ModelId {
    RunDir::open(run)
        .unwrap()
        .state()
        .unwrap()
        .unwrap()
        .champion
}

#[test]
fn what_is_not_as_it_should_be_is_named() {
    let mut runs = Runs::new();
    another_runs_settings(&mut runs);
    files_that_are_gone(&mut runs);
    reports_in_the_place_of_others(&mut runs);
    another_champion(&mut runs);
    champions_without_a_state(&mut runs);
    a_run_that_is_mostly_bad(&mut runs);
}

fn another_runs_settings(runs: &mut Runs) {
    let run = runs.copy();
    let whole = fs::read(run.join("run.toml")).unwrap();
    fs::copy(runs.other().join("run.toml"), run.join("run.toml")).unwrap();
    let [fault] = &check(&run).unwrap()[..] else {
        panic!("run.toml alone has a fault");
    };
    assert!(fault.path.ends_with("run.toml"), "{fault}");
    assert!(
        fault.found.starts_with("run ") && fault.expected.contains("files name"),
        "{fault:?}"
    );
    assert_eq!(repair(&run, false).unwrap().len(), 1);
    assert_eq!(fs::read(run.join("run.toml")).unwrap(), whole);
    assert_eq!(check(&run).unwrap(), []);

    // Both copies are another run's: nothing is touched.
    let run = runs.copy();
    for name in ["run.toml", "train/run.toml"] {
        fs::copy(runs.other().join(name), run.join(name)).unwrap();
    }
    let error = repair(&run, false).unwrap_err().to_string();
    assert!(
        error.contains("put the run.toml of that run back"),
        "{error}"
    );
    assert!(!run.join("set-aside").exists());
}

fn files_that_are_gone(runs: &mut Runs) {
    for name in [
        "ratings.json",
        "metrics.jsonl",
        "champion",
        "gates/000001.json",
        "gates/000003.json",
        "models/000001",
        "models/000000",
    ] {
        let run = runs.copy();
        let path = run.join(name);
        assert!(path.exists(), "{name}");
        remove(&path);
        let faults = check(&run).unwrap();
        let found = faults_of(&faults, &path);
        assert_eq!(found.len(), 1, "{name}: {faults:#?}");
        assert!(found[0].what.ends_with("is missing"), "{:?}", found[0]);
        let champion = champion_of(&run);
        let faults = repair(&run, false).unwrap();
        let expected = match path.exists() {
            true => "rebuilt from the other files",
            false => "noted as lost; the run continues without it",
        };
        assert_eq!(faults_of(&faults, &path)[0].mend, expected, "{name}");
        // Games that a lost model has played stay strange.
        let mut left = check(&run).unwrap();
        left.retain(|fault| !fault.what.starts_with("games of generation"));
        assert_eq!(left, [], "{name}");
        assert_eq!(champion_of(&run), champion, "{name}");
    }
}

fn reports_in_the_place_of_others(runs: &mut Runs) {
    let run = runs.copy();
    let path = run.join("gates/000002.json");
    fs::copy(run.join("gates/000001.json"), &path).unwrap();
    let faults = check(&run).unwrap();
    let found = faults_of(&faults, &path);
    assert_eq!(found.len(), 1, "{faults:#?}");
    assert_eq!(found[0].found, "the report of the gate of model 000001");
    repair(&run, false).unwrap();
    assert_eq!(check(&run).unwrap(), []);
    assert!(!path.exists());
}

fn another_champion(runs: &mut Runs) {
    let run = runs.copy();
    let path = run.join("champion");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, "000099\n").unwrap();
    let faults = check(&run).unwrap();
    let found = faults_of(&faults, &path);
    assert_eq!(found.len(), 1, "{faults:#?}");
    assert_eq!(found[0].found, "model 000099");
    repair(&run, false).unwrap();
    assert_eq!(check(&run).unwrap(), []);
    assert_eq!(fs::read(&path).unwrap(), whole);
}

/// Makes model 2 the champion of a run.
fn crown(run: &Path) {
    let dir = RunWriter::open(run).unwrap();
    let report = |id| dir.gate::<GateReport>(ModelId(id)).unwrap().unwrap();
    let (mut won, mut later) = (report(2), report(3));
    won.verdict = Verdict::Better;
    dir.write_gate(ModelId(2), &won).unwrap();
    later.opponent = "model 000002".to_owned();
    later.verdict = Verdict::Inconclusive;
    dir.write_gate(ModelId(3), &later).unwrap();
    let mut ratings: Ratings = dir.ratings().unwrap().unwrap();
    let rated = ratings
        .points
        .iter_mut()
        .filter(|point| point.generation >= 2);
    rated.for_each(|point| point.model = 2);
    dir.write_ratings(&ratings).unwrap();
    let mut state = dir.state().unwrap().unwrap();
    state.champion = ModelId(2);
    dir.commit(&state).unwrap();
}

/// The champion is known from the file that names it, from ratings, and from later gates.
fn champions_without_a_state(runs: &mut Runs) {
    let witnesses = ["champion", "ratings.json", "gates/000003.json"];
    for witness in witnesses {
        let run = runs.copy();
        crown(&run);
        assert_eq!(check(&run).unwrap(), []);
        let others = witnesses.iter().filter(|other| **other != witness);
        for name in others.chain(&["state.json", "gates/000002.json"]) {
            remove(&run.join(name));
        }
        repair(&run, false).unwrap();
        assert_eq!(champion_of(&run), ModelId(2), "{witness}");
    }
}

fn a_run_that_is_mostly_bad(runs: &mut Runs) {
    let run = runs.copy();
    let models = (0..=3).map(|number| format!("models/{number:06}/model.safetensors"));
    let gates = (1..=3).map(|number| format!("gates/{number:06}.json"));
    for name in models.chain(gates) {
        let path = run.join(name);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(path, bytes).unwrap();
    }
    let error = repair(&run, false).unwrap_err().to_string();
    assert!(error.contains("would set aside 7 of the 12"), "{error}");
    assert!(error.contains("--yes"), "{error}");
    assert!(!run.join("set-aside").exists());
    repair(&run, true).unwrap();
    assert!(run.join("set-aside").exists());
    assert_eq!(check(&run).unwrap(), []);
}
