//! The run directory: whenever a process is killed, the next one can continue.

use std::fs;
use std::path::Path;

use store::{LoopState, ModelId, Phase, RunDir, RunWriter, StoreError};

type Io = std::io::Result<()>;

fn fill(text: &'static str) -> impl FnOnce(&Path) -> Io {
    move |dir| fs::write(dir.join("model.json"), text)
}

fn started(path: &Path) -> RunWriter {
    let run = RunWriter::create(path, "seed = 1\n").unwrap();
    run.save_model(ModelId(0), fill("untrained")).unwrap();
    run.commit(&LoopState::start()).unwrap();
    run
}

#[test]
fn a_new_run_has_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("runs/first");
    let run = started(&path);
    assert_eq!(
        fs::read_to_string(path.join("champion")).unwrap(),
        "000000\n"
    );
    assert_eq!(
        fs::read_to_string(path.join("models/000000/model.json")).unwrap(),
        "untrained"
    );
    run.write_gate(ModelId(1), &serde_json::json!({"verdict": "better"}))
        .unwrap();
    run.write_status(&"self-play").unwrap();

    let view = RunDir::open(&path).unwrap();
    assert_eq!(view.config().unwrap(), "seed = 1\n");
    assert_eq!(view.champion().unwrap(), Some(ModelId(0)));
    assert_eq!(view.models().unwrap(), [ModelId(0)]);
    assert_eq!(view.state().unwrap(), Some(LoopState::start()));
    assert_eq!(view.status::<String>().unwrap().unwrap(), "self-play");
    let gate: serde_json::Value = view.gate(ModelId(1)).unwrap().unwrap();
    assert_eq!(gate["verdict"], "better");
    assert_eq!(view.ratings::<String>().unwrap(), None);
}

#[test]
fn only_one_process_writes() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let message = RunWriter::open(dir.path()).unwrap_err().to_string();
    assert!(message.contains("is locked by process "), "{message}");
    assert!(matches!(
        RunWriter::create(dir.path(), ""),
        Err(StoreError::Locked { .. })
    ));
    drop(run);
    RunWriter::open(dir.path()).unwrap();
    assert!(matches!(
        RunWriter::create(dir.path(), ""),
        Err(StoreError::RunExists { .. })
    ));
}

#[test]
fn models_never_change() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let again = run.save_model(ModelId(0), fill("other"));
    assert!(matches!(again, Err(StoreError::Exists { .. })));
    let message = run.model(ModelId(3)).unwrap_err().to_string();
    assert!(
        message.ends_with("it has models 000000 to 000000"),
        "{message}"
    );
}

/// A training stage that is killed after each of its writes is repeated from its start.
#[test]
fn what_was_not_committed_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    drop(started(dir.path()));
    let mut trained = LoopState::start();
    trained.advance();
    let mut run = RunWriter::open(dir.path()).unwrap();
    run.settle().unwrap();
    run.commit(&trained).unwrap();
    drop(run);
    let played = trained.clone();
    trained.advance();
    for killed_after in 0..=3 {
        let mut run = RunWriter::open(dir.path()).unwrap();
        run.settle().unwrap();
        assert_eq!(
            run.state().unwrap(),
            Some(played.clone()),
            "killed after {killed_after}"
        );
        assert_eq!(run.models().unwrap(), [ModelId(0)]);
        if killed_after == 0 {
            fs::create_dir(dir.path().join("models/.tmp-000001")).unwrap();
            fs::write(dir.path().join(".tmp-state.json"), "{").unwrap();
            continue;
        }
        let train = run.save_train(fill("optimiser")).unwrap();
        if killed_after == 1 {
            continue;
        }
        run.save_model(ModelId(1), fill("trained")).unwrap();
        if killed_after == 2 {
            continue;
        }
        (trained.train, trained.newest) = (Some(train), ModelId(1));
        run.commit(&trained).unwrap();
    }
    let run = RunWriter::open(dir.path()).unwrap();
    assert_eq!(run.moved(), []);
    let state = run.state().unwrap().unwrap();
    assert_eq!((state.next, state.newest), (Phase::Gate, ModelId(1)));
    let optimiser = run.train_path(state.train.unwrap()).join("model.json");
    assert_eq!(fs::read_to_string(optimiser).unwrap(), "optimiser");
}

#[test]
fn the_training_state_before_the_last_stays() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let mut state = LoopState::start();
    for n_kept in [1, 2, 2, 2] {
        state.train = Some(run.save_train(fill("optimiser")).unwrap());
        run.commit(&state).unwrap();
        let ids = run.train_ids().unwrap();
        assert_eq!((ids.len(), ids.last().copied()), (n_kept, state.train));
    }
}

#[test]
fn a_state_without_its_files_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let state = LoopState {
        newest: ModelId(1),
        ..LoopState::start()
    };
    let message = run.commit(&state).unwrap_err().to_string();
    assert!(message.ends_with("models/000001 is missing"), "{message}");
    assert_eq!(run.state().unwrap(), Some(LoopState::start()));

    drop(run);
    let state = fs::read_to_string(dir.path().join("state.json")).unwrap();
    fs::write(
        dir.path().join("state.json"),
        state.replace("\"format\": 1", "\"format\": 2"),
    )
    .unwrap();
    let message = RunWriter::open(dir.path()).unwrap_err().to_string();
    assert!(
        message.contains("a newer version of the program: found format 2, expected at most 1"),
        "{message}"
    );
}

/// All files with their contents, except the lock.
fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let name = entry.display().to_string();
        if entry.is_dir() {
            found.push((name, Vec::new()));
            found.extend(files(&entry));
        } else if !name.ends_with("/lock") {
            found.push((name, fs::read(&entry).unwrap()));
        }
    }
    found.sort();
    found
}

/// A run in generation 5 that has trained models 1 to 4.
fn trained(path: &Path, config: &str) -> LoopState {
    let run = RunWriter::create(path, config).unwrap();
    run.save_model(ModelId(0), fill("untrained")).unwrap();
    let mut state = LoopState::start();
    for generation in 1..=4 {
        (state.games, state.positions) = (8 * u64::from(generation), 400 * u64::from(generation));
        (state.samples, state.step) = (state.positions / 2, 10 * u64::from(generation));
        state.newest = ModelId(generation);
        state.train = Some(run.save_train(fill("optimiser")).unwrap());
        run.save_model(state.newest, fill("trained")).unwrap();
        state.generation = generation + 1;
        run.commit(&state).unwrap();
    }
    state
}

/// Each of these once made models or the optimizer's state vanish, or trained on.
#[test]
fn opening_never_destroys() {
    type Change = fn(&Path, &str);
    fn edit(path: &Path, state: &str, from: &str, to: &str) {
        assert!(state.contains(from), "{state}");
        fs::write(path.join("state.json"), state.replace(from, to)).unwrap();
    }
    let changes: [(Change, &str); 9] = [
        (
            |p, s| edit(p, s, "\"newest\": 4", "\"newest\": 0"),
            "newest model 000000",
        ),
        (
            |p, _| fs::remove_file(p.join("state.json")).unwrap(),
            "it is missing, and",
        ),
        (
            |p, _| fs::remove_file(p.join("run.toml")).unwrap(),
            "it is missing, and",
        ),
        (
            |p, s| edit(p, s, "\"train\": 4", "\"train\": 9"),
            "train/000009 is missing",
        ),
        (
            |p, s| edit(p, s, "\"train\": 4", "\"train\": 3"),
            "train/000004 exists",
        ),
        (
            |p, s| edit(p, s, "\"generation\": 5", "\"generation\": 9"),
            "newest model 000004",
        ),
        (
            |p, s| edit(p, s, "\"samples\": 800", "\"samples\": 80000000"),
            "80000000 samples",
        ),
        (
            |p, s| edit(p, s, "\"format\": 1", "\"format\": 3"),
            "newer version",
        ),
        (
            |p, _| fs::write(p.join("state.json"), "{").unwrap(),
            "state.json",
        ),
    ];
    for (change, expected) in changes {
        for config in ["seed = 1\n", "run_id = \"00000000000000aa\"\n"] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path();
            trained(path, config);
            change(path, &fs::read_to_string(path.join("state.json")).unwrap());
            let before = files(path);
            let message = match RunDir::is_run(path) {
                true => RunWriter::open(path).unwrap_err().to_string(),
                false => RunWriter::create(path, config).unwrap_err().to_string(),
            };
            let is_named = message.contains(expected)
                || message.contains("state.json cannot be used: it is damaged");
            assert!(is_named, "{expected}: {message}");
            assert_eq!(files(path), before, "{expected}");
        }
    }
}

#[test]
fn what_an_interrupted_stage_left_is_kept_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let mut state = trained(path, "run_id = \"00000000000000aa\"\n");
    let run = RunWriter::open(path).unwrap();
    state.next = Phase::Train;
    run.commit(&state).unwrap();
    run.save_model(ModelId(5), fill("candidate")).unwrap();
    run.save_train(fill("optimiser 5")).unwrap();
    fs::write(path.join("gates/000005.log"), "pairs").unwrap();
    fs::write(path.join("champion"), "nonsense").unwrap();
    fs::write(path.join("models/.tmp-000006"), "half").unwrap();
    drop(run);

    let mut run = RunWriter::open(path).unwrap();
    run.settle().unwrap();
    let moved = run.moved();
    let kept: Vec<(&str, bool)> = moved
        .iter()
        .map(|moved| {
            (
                moved.from.strip_prefix(path).unwrap().to_str().unwrap(),
                moved.to.exists(),
            )
        })
        .collect();
    let expected = [
        "models/.tmp-000006",
        "models/000005",
        "train/000005",
        "gates/000005.log",
        "champion",
    ];
    assert_eq!(kept, expected.map(|name| (name, true)));
    assert!(
        moved[1]
            .why
            .contains("training of generation 5 was interrupted")
    );
    let reasons = moved[4].to.with_file_name("reasons.txt");
    assert_eq!(fs::read_to_string(reasons).unwrap().lines().count(), 5);
    assert_eq!(run.champion().unwrap(), Some(state.champion));
    assert_eq!(run.models().unwrap().last(), Some(&ModelId(4)));
}

#[test]
fn documents_of_another_run_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let [here, there] = ["aa", "bb"].map(|id| {
        let path = dir.path().join(id);
        trained(&path, &format!("run_id = \"00000000000000{id}\"\n"));
        path
    });
    let run = RunWriter::open(&there).unwrap();
    run.write_ratings(&serde_json::json!({"points": []}))
        .unwrap();
    run.write_gate(ModelId(1), &serde_json::json!({"verdict": "better"}))
        .unwrap();
    for name in ["ratings.json", "gates/000001.json", "state.json"] {
        fs::copy(there.join(name), here.join(name)).unwrap();
    }
    let run = RunDir::open(&here).unwrap();
    let errors = [
        run.ratings::<serde_json::Value>().unwrap_err(),
        run.gate::<serde_json::Value>(ModelId(1)).unwrap_err(),
        run.state().unwrap_err(),
    ];
    for error in errors.map(|error| error.to_string()) {
        let expected =
            "it belongs to another run: found run 00000000000000bb, expected run 00000000000000aa";
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_text_of_a_configuration_is_limited() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let run = started(&path);
    let read = |length: u64| {
        let file = fs::File::options().write(true).open(run.config_path());
        file.unwrap().set_len(length).unwrap();
        run.config()
    };
    assert_eq!(read(1 << 20).unwrap().len(), 1 << 20);
    let error = read((1 << 20) + 1).unwrap_err();
    assert!(matches!(
        error,
        StoreError::TooLarge {
            limit: 1_048_576,
            ..
        }
    ));
}
