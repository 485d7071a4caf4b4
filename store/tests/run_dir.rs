//! The run directory: whatever moment a process is killed at, the next one goes on.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

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
    trained.advance();
    for killed_after in 0..=3 {
        let run = RunWriter::open(dir.path()).unwrap();
        assert_eq!(
            run.state().unwrap(),
            Some(LoopState::start()),
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
    assert_eq!(run.removed(), Vec::<std::path::PathBuf>::new());
    let state = run.state().unwrap().unwrap();
    assert_eq!((state.next, state.newest), (Phase::Gate, ModelId(1)));
    let optimiser = run.train_path(state.train.unwrap()).join("model.json");
    assert_eq!(fs::read_to_string(optimiser).unwrap(), "optimiser");
}

#[test]
fn older_training_states_go_when_a_newer_one_counts() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let mut state = LoopState::start();
    for _ in 0..3 {
        state.train = Some(run.save_train(fill("optimiser")).unwrap());
        run.commit(&state).unwrap();
        assert_eq!(fs::read_dir(dir.path().join("train")).unwrap().count(), 1);
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
        message.contains("has format 2 and this program reads format 1"),
        "{message}"
    );
}
