//! Runs whose settings change, and runs that start from another run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use eval::GateReport;
use model::Model;
use roster::ModelSource;
use rules::Variant;
use run::config::{ConfigSources, OriginKind, Resolved};
use run::integrity::repair;
use run::origin::{fork, recorded_generations, resume_or_init, retrain};
use run::{Ended, Event, Ratings, Run, advance, advance_until};
use store::{LoopState, ModelId, Phase, RunDir};

static NEVER: AtomicBool = AtomicBool::new(false);

fn sources(set: &[&str]) -> ConfigSources {
    ConfigSources {
        preset: Some("tiny".to_owned()),
        set: set.iter().map(|text| (*text).to_owned()).collect(),
        ..ConfigSources::default()
    }
}

fn options(set: &[&str]) -> ConfigSources {
    ConfigSources {
        preset: None,
        ..sources(set)
    }
}

fn variant() -> Variant {
    Variant::ALL[0]
}

fn tiny(set: &[&str]) -> Resolved {
    sources(set).resolve(variant()).unwrap()
}

fn open(path: &Path, set: &[&str]) -> Run {
    Run::resume_or_create(path, variant(), tiny(set)).unwrap()
}

fn train(run: &mut Run, last: u32) {
    advance_until(
        run,
        Some(last),
        &NEVER,
        &mut |_: &Run, _: &Event<'_>| Ok(()),
    )
    .unwrap();
}

fn trained(path: &Path, last: u32) -> Run {
    let mut run = open(path, &[]);
    train(&mut run, last);
    run
}

fn model(path: &Path, id: u32) -> Model {
    Model::load(&RunDir::open(path).unwrap().model(ModelId(id)).unwrap()).unwrap()
}

/// Every file below a directory, except locks.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !path.ends_with("lock") {
            found.insert(path.display().to_string(), fs::read(&path).unwrap());
        }
    }
    found
}

/// All kinds of settings that may change.
const CHANGES: [&str; 7] = [
    "train.learning_rate=0.01",
    "train.batch_size=16",
    "train.samples_per_position=1.5",
    "search.simulations=6",
    "window.min_samples=150",
    "gate.simulations=3",
    "endgame.positions=20",
];

#[test]
fn the_same_changes_at_the_same_generation_give_the_same_weights() {
    let dir = tempfile::tempdir().unwrap();
    let [at_once, in_between, unchanged] = ["a", "b", "c"].map(|name| dir.path().join(name));
    // Requested between two generations, and not stopped again.
    drop(trained(&at_once, 1));
    train(&mut open(&at_once, &CHANGES), 3);
    // Requested in the middle of the first generation, and opened again after each stage.
    let mut run = open(&in_between, &[]);
    let mut ignore = |_: &Run, _: &Event<'_>| Ok(());
    advance(&mut run, &NEVER, &mut ignore).unwrap();
    drop(run);
    let mut run = open(&in_between, &CHANGES);
    assert_eq!(run.config().train.batch_size, 32);
    while run.state().generation <= 3 {
        assert_eq!(
            advance(&mut run, &NEVER, &mut ignore).unwrap(),
            Ended::Complete
        );
        drop(run);
        run = open(&in_between, &[]);
    }
    trained(&unchanged, 3);
    assert_eq!(model(&at_once, 3), model(&in_between, 3));
    assert_eq!(model(&at_once, 1), model(&unchanged, 1));
    assert_ne!(model(&at_once, 3), model(&unchanged, 3));

    let changes = &run.file().changes;
    assert_eq!(changes.len(), CHANGES.len());
    let first = changes[0].since.unwrap();
    assert!(changes.iter().all(|change| change.generation == 2));
    assert_eq!(first.step, model(&at_once, 1).meta.train_step);
    // From then on 1.5 samples per position and 16 per step.
    let new = run.state().samples - first.samples;
    assert_eq!(run.state().step, first.step + new * 3 / 2 / 16);
    let text = run.dir().config().unwrap();
    assert!(text.contains("learning_rate = 0.002\n"), "{text}");
}

#[test]
fn a_fork_goes_on_as_the_run_would_have() {
    let dir = tempfile::tempdir().unwrap();
    let [old, new, earlier] = ["old", "new", "earlier"].map(|name| dir.path().join(name));
    let mut run = trained(&old, 2);
    run = {
        drop(run);
        open(&old, &[])
    };
    let from = old.display().to_string();
    let before = files(&old);
    let mut forked = fork(&from, &new, &options(&[])).unwrap();
    let slower = options(&[
        "train.learning_rate=0.0001",
        "seed=7",
        "selfplay.games_per_generation=5",
    ]);
    let mut other = fork(&format!("{from}@1"), &earlier, &slower).unwrap();
    assert_eq!(files(&old), before);
    let state = LoopState {
        train: forked.state().train,
        ..run.state().clone()
    };
    assert_eq!(forked.state(), &state);
    train(&mut run, 3);
    train(&mut forked, 3);
    assert_eq!(model(&old, 3), model(&new, 3));
    let ratings = |run: &Run| {
        run.dir()
            .ratings::<Ratings>()
            .unwrap()
            .unwrap()
            .points
            .len()
    };
    assert_eq!((ratings(&run), ratings(&forked)), (3, 3));

    let origin = other.file().origin.as_ref().unwrap();
    assert_eq!(
        origin.to_string(),
        format!("a fork of run:{from}@1; with a new optimizer")
    );
    let state = other.state();
    assert_eq!(
        (state.generation, state.next, state.games),
        (2, Phase::SelfPlay, 8)
    );
    assert_eq!(state.step, model(&old, 1).meta.train_step);
    assert!(state.seconds > 0.0 || other.dir().metrics().unwrap().is_empty());
    assert_eq!((other.config().seed, other.file().changes.len()), (7, 3));
    train(&mut other, 2);
    assert_eq!(model(&earlier, 1), model(&old, 1));
    assert_ne!(model(&earlier, 2), model(&old, 2));
    let finished = other.file().finished_games(1..=2).unwrap();
    assert_eq!(finished.games, [8, 5]);
    let check = other.dir().games(variant()).check(&finished).unwrap();
    assert!(check.n_faults() == 0 && check.games == 13, "{check:?}");

    let taken = fork(&from, &new, &options(&[])).err().unwrap().to_string();
    assert!(
        taken.ends_with("already holds a run: use another directory"),
        "{taken}"
    );
}

#[test]
fn a_fork_grows() {
    let dir = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
    drop(trained(&old, 2));
    let from = old.display().to_string();
    let wider = options(&["model.channels=64", "model.blocks=5"]);
    let grown = fork(&from, &new, &wider).unwrap();
    let origin = grown.file().origin.as_ref().unwrap().to_string();
    assert_eq!(
        origin,
        format!("a fork of run:{from}@2; with a larger network and a new optimizer")
    );
    let state = grown.state().clone();
    assert_eq!((state.generation, state.next), (3, Phase::SelfPlay));
    let notice = grown.notices().remove(0);
    assert!(
        notice.contains("nano with channels=64 blocks=5"),
        "{notice}"
    );
    drop(grown);
    // The files that a kill before the first commit leaves.
    let whole = files(&new.join("models"));
    for name in ["state.json", "champion"] {
        fs::remove_file(new.join(name)).unwrap();
    }
    let grown = open(&new, &[]);
    assert_eq!(grown.state(), &state);
    assert_eq!(files(&new.join("models")), whole);
    drop(grown);
    // A repair restores the same initial state even without the report of the last gate.
    fs::remove_file(new.join("state.json")).unwrap();
    for folder in ["gates", "train"] {
        for entry in fs::read_dir(new.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => fs::remove_dir_all(path).unwrap(),
                false => fs::remove_file(path).unwrap(),
            }
        }
    }
    repair(&new, false).unwrap();
    let mut grown = open(&new, &[]);
    assert_eq!(
        (grown.state().generation, grown.state().next),
        (3, Phase::SelfPlay)
    );

    // The old network plays once more, and the larger one continues from it.
    let mut ignore = |_: &Run, _: &Event<'_>| Ok(());
    while grown.state().newest == ModelId(2) {
        advance(&mut grown, &NEVER, &mut ignore).unwrap();
        drop(grown);
        grown = open(&new, &[]);
    }
    let learned = model(&new, 3);
    assert_eq!((learned.config.channels, learned.config.blocks), (64, 5));
    assert_eq!(learned.meta.parent, Some(model(&old, 2).net_id()));
    let same = trained(&old, 3);
    assert_eq!(grown.state().step, same.state().step);
    train(&mut grown, 4);
    let gate: GateReport = grown.dir().gate(ModelId(3)).unwrap().unwrap();
    assert!(gate.pairs > 0);
    assert_eq!(model(&new, 4).config, learned.config);

    let narrower = options(&["model.blocks=1"]);
    let narrower = fork(&from, &dir.path().join("n"), &narrower).err().unwrap();
    assert!(
        narrower.is_request() && narrower.to_string().contains("crownhead retrain"),
        "{narrower}"
    );
}

#[test]
fn a_run_begins_with_trained_weights() {
    let dir = tempfile::tempdir().unwrap();
    let [old, warm, larger] = ["old", "warm", "larger"].map(|name| dir.path().join(name));
    drop(trained(&old, 1));
    let source = ModelSource::of_path(&format!("{}@1", old.display()));
    let begin = |path: &Path, variant: Variant, set: &[&str]| {
        let asked = sources(set).resolve(variant).unwrap();
        resume_or_init(path, variant, asked, &source)
    };
    let run = begin(&warm, variant(), &["seed=2"]).unwrap();
    assert_eq!(
        run.model(ModelId(0)).unwrap().weights,
        model(&old, 1).weights
    );
    assert_eq!((run.state().step, run.window().len()), (0, 0));
    drop(run);
    let mut run = begin(&warm, variant(), &["seed=2"]).unwrap();
    train(&mut run, 1);
    assert_eq!(run.file().origin.as_ref().unwrap().kind, OriginKind::Init);
    drop(run);
    let other = ModelSource::of_path("bundled");
    let error = resume_or_init(&warm, variant(), tiny(&["seed=2"]), &other);
    let error = error.err().unwrap().to_string();
    assert!(
        error.contains("it started from the weights of run:"),
        "{error}"
    );

    // A larger board, and a game where pieces jump along rows.
    let frisian = Variant::GAMES[2];
    let run = begin(&larger, frisian, &[]).unwrap();
    let origin = run.file().origin.as_ref().unwrap();
    assert_eq!(
        origin.without,
        "untrained: input.position, value.hidden.weight"
    );
    let policy = |model: &Model| model.weights.get("policy.weight").cloned();
    assert_eq!(
        policy(&run.model(ModelId(0)).unwrap()),
        policy(&model(&old, 1))
    );

    let wide = begin(&dir.path().join("w"), variant(), &["model.channels=64"]);
    let error = wide.err().unwrap();
    assert!(error.is_request(), "{error}");
    assert!(
        error.to_string().ends_with("add --set model.channels=32"),
        "{error}"
    );
    assert!(!dir.path().join("w").exists());
}

/// A run that was killed while it was being created is created again.
#[test]
fn a_beginning_can_be_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
    drop(trained(&old, 1));
    drop(fork(&old.display().to_string(), &new, &options(&[])).unwrap());
    let whole = files(&new.join("models"));
    // The files that a kill before the first commit leaves.
    for name in ["state.json", "champion"] {
        fs::remove_file(new.join(name)).unwrap();
    }
    fs::remove_dir_all(new.join("models/000001")).unwrap();
    let mut run = open(&new, &[]);
    assert_eq!(files(&new.join("models")), whole);
    train(&mut run, 2);
    train(&mut open(&old, &[]), 2);
    assert_eq!(model(&old, 2), model(&new, 2));
}

#[test]
fn a_network_of_another_shape_learns_from_recorded_games() {
    let dir = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
    let run = trained(&old, 3);
    let from = format!("{}@2", old.display());
    let shape = options(&[
        "model.channels=64",
        "model.blocks=1",
        "model.value_hidden=32",
    ]);
    let mut learner = retrain(&from, &new, &shape).unwrap();
    assert_eq!(recorded_generations(&learner), Some(2));
    train(&mut learner, 2);
    let learned = model(&new, 2).config;
    assert_eq!(
        (learned.channels, learned.blocks, learned.value_hidden),
        (64, 1, 32)
    );
    // Exactly the same games, and the same number of steps on them.
    let steps = model(&old, 2).meta.train_step;
    assert_eq!((learner.state().games, learner.state().step), (16, steps));
    for segment in fs::read_dir(new.join("games")).unwrap() {
        let path = segment.unwrap().path();
        let recorded = old.join("games").join(path.file_name().unwrap());
        assert_eq!(fs::read(&path).unwrap(), fs::read(recorded).unwrap());
    }
    assert_eq!(
        learner.config().gate.every_generations,
        1,
        "as usual from now on"
    );
    let rated: Ratings = learner.dir().ratings().unwrap().unwrap();
    assert_eq!(rated.points.len(), 1);
    drop(learner);
    // The same command resumes, and the run can also be resumed directly.
    drop(retrain(&from, &new, &shape).unwrap());
    let mut learner = open(&new, &[]);
    train(&mut learner, 3);
    assert_ne!(model(&new, 3).net_id(), model(&old, 3).net_id());
    assert_eq!(learner.state().games, run.state().games);
    let other = retrain(&dir.path().join("x").display().to_string(), &new, &shape);
    assert!(other.is_err());
    let untrained = format!("{}@0", old.display());
    let error = retrain(&untrained, &dir.path().join("newer"), &shape).err();
    assert!(error.unwrap().to_string().contains("has no games at"));
    for segment in fs::read_dir(old.join("games")).unwrap() {
        let path = segment.unwrap().path();
        if path.to_string_lossy().contains("000001-") {
            fs::remove_file(path).unwrap();
        }
    }
    drop(learner);
    drop(retrain(&from, &new, &shape).unwrap());
    let error = retrain(&from, &dir.path().join("newer"), &shape).err();
    let message = error.unwrap().to_string();
    assert!(
        message.contains("no longer has the games of generation 1"),
        "{message}"
    );
}

#[test]
fn a_fork_goes_on_where_the_first_games_are_gone() {
    let dir = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
    drop(trained(&old, 3));
    let (games, steps) = (16, model(&old, 2).meta.train_step);
    fs::remove_file(old.join("games/000001-000.seg")).unwrap();
    let from = format!("{}@2", old.display());
    let forked = fork(&from, &new, &options(&[])).unwrap();
    assert_eq!((forked.state().games, forked.state().step), (games, steps));
    drop(forked);
    train(&mut open(&new, &[]), 3);
    assert_eq!(model(&new, 3).meta.games, 24);
}

#[test]
fn recorded_generations_have_as_many_games_as_were_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| dir.path().join(name));
    trained(&old, 1);
    let from = old.display().to_string();
    let mut preset = options(&["model.channels=64"]);
    preset.preset = Some("small".to_owned());
    let learner = retrain(&from, &new, &preset).unwrap();
    assert_eq!(learner.config().selfplay.games_per_generation, 8);
    let more = options(&["selfplay.games_per_generation=9"]);
    let refused = retrain(&from, &dir.path().join("more"), &more)
        .err()
        .unwrap();
    assert!(refused.is_request());
    let message = refused.to_string();
    assert!(
        message.contains("games_per_generation=9") && message.contains("have 8"),
        "{message}"
    );
}
