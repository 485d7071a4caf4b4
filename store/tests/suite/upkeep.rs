//! Maintenance of a run: `crownhead check`, `repair`, and freeing disk space.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{id, record};
use rules::Variant;
use serde_json::{Value, json};
use store::{FinishedGames, Games, LoopState, ModelId, RunDir, RunWriter, StoreError, scan};

const VARIANT: Variant = Variant::English;
/// The run of the games in `support`.
const CONFIG: &str = "run_id = \"0123456789abcdef\"\n";

/// A run with its untrained network and a state.
fn started(path: &Path) -> RunWriter {
    let run = RunWriter::create(path, CONFIG).unwrap();
    run.save_model(ModelId(0), |dir| fs::write(dir.join("w"), "untrained"))
        .unwrap();
    run.commit(&LoopState::start()).unwrap();
    run
}

fn play(run: &RunDir, generation: u32) {
    let mut writer = run.games(VARIANT).writer(generation).unwrap();
    for number in 0..3 {
        let game = record(VARIANT, id(generation, number), 1, 20);
        writer.append(&game).unwrap();
    }
}

/// The text of the file that was moved from `path` to `set-aside/`, with the reason recorded there.
fn set_aside(run: &Path, path: &Path) -> (String, String) {
    let name = path.strip_prefix(run).unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir(run.join("set-aside")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join(name).is_file() {
            let text = fs::read(folder.join(name)).unwrap();
            let reasons = fs::read_to_string(folder.join("reasons.txt")).unwrap();
            let start = format!("{}: ", name.display());
            let why = reasons.lines().find_map(|line| line.strip_prefix(&start));
            found.push((
                String::from_utf8_lossy(&text).into_owned(),
                why.unwrap().to_owned(),
            ));
        }
    }
    assert_eq!(found.len(), 1, "{}", path.display());
    found.remove(0)
}

#[test]
fn everything_has_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let places: [(PathBuf, &str); 12] = [
        (run.config_path(), "run.toml"),
        (run.config_copy_path(), "train/run.toml"),
        (run.state_path(), "state.json"),
        (run.status_path(), "status.json"),
        (run.ratings_path(), "ratings.json"),
        (run.metrics_path(), "metrics.jsonl"),
        (run.games_path(), "games"),
        (run.tensorboard_path(), "tensorboard"),
        (run.endgames_path(), "endgames"),
        (run.logs_path(), "logs"),
        (run.gate_path(ModelId(7)), "gates/000007.json"),
        (run.model(ModelId(0)).unwrap(), "models/000000"),
    ];
    for (path, name) in places {
        assert_eq!(path, dir.path().join(name));
    }
    let (log, _) = run.gate_log::<u32>(ModelId(7), &"terms").unwrap();
    drop(log);
    assert!(dir.path().join("gates/000007.log").is_file());
}

#[test]
fn sizes_are_those_of_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    assert_eq!(run.model_bytes(ModelId(0)).unwrap(), 9);
    let missing = run.model_bytes(ModelId(1)).unwrap_err();
    assert!(matches!(missing, StoreError::NoModel { .. }));
    let before = run.size_bytes().unwrap();
    fs::write(run.logs_path().join("000001.log"), vec![0; 1234]).unwrap();
    assert_eq!(run.size_bytes().unwrap(), before + 1234);
    assert!(before > 9 + 2 * CONFIG.len() as u64);
}

/// A killed process leaves a status that says `running`.
#[test]
fn a_run_is_running_as_long_as_somebody_holds_it() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let status = |run: &RunDir| run.status::<Value>().unwrap();
    assert_eq!(status(&run), None);
    assert!(run.is_locked());
    run.write_status(&json!({"running": true})).unwrap();
    assert_eq!(status(&run), Some(json!({"running": true})));
    drop(run);
    let run = RunDir::open(dir.path()).unwrap();
    assert!(!run.is_locked());
    let interrupted = json!({"running": false, "interrupted": true});
    assert_eq!(status(&run), Some(interrupted));
    fs::write(run.status_path(), r#"{"running": false}"#).unwrap();
    assert_eq!(status(&run), Some(json!({"running": false})));
}

#[test]
fn a_configuration_that_is_lost_comes_back_from_its_copy() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(RunDir::config_copy(dir.path()).unwrap(), None);
    let run = started(dir.path());
    let changed = format!("{CONFIG}seed = 2\n");
    run.write_config(&changed).unwrap();
    assert_eq!(run.config().unwrap(), changed);
    let copy = || RunDir::config_copy(dir.path()).unwrap().unwrap();
    assert_eq!(copy(), changed);
    let locked = RunWriter::restore_config(dir.path());
    assert!(matches!(locked, Err(StoreError::Locked { .. })));
    drop(run);
    let path = dir.path().join("run.toml");
    fs::write(&path, "nonsense").unwrap();
    RunWriter::restore_config(dir.path()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), changed);
    let (text, why) = set_aside(dir.path(), &path);
    assert_eq!((&*text, &*why), ("nonsense", "it could not be used"));
}

#[test]
fn folders_that_are_missing_are_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    for name in ["gates", "games", "logs", "tensorboard"] {
        fs::remove_dir_all(dir.path().join(name)).unwrap();
    }
    run.make_folders().unwrap();
    for name in ["gates", "games", "logs", "tensorboard", "models/000000"] {
        assert!(dir.path().join(name).is_dir(), "{name}");
    }
}

#[test]
fn what_is_in_the_way_is_moved() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let path = |name: &str| dir.path().join(name);
    let places = ["tensorboard/events", "gates/000003.log"].map(path);
    for place in &places {
        fs::write(place, "text").unwrap();
    }
    play(&run, 1);
    play(&run, 2);
    let games = fs::read(path("games/000001-000.seg")).unwrap();
    run.set_tensorboard_aside().unwrap();
    run.set_gate_log_aside(ModelId(3), "its terms have changed")
        .unwrap();
    run.set_games_aside(VARIANT, 1, "they are repeated")
        .unwrap();
    let [events, log] = places.map(|place| set_aside(dir.path(), &place));
    assert_eq!(events.0, "text");
    assert!(events.1.ends_with("the curves will be rewritten"));
    assert_eq!((&*log.0, &*log.1), ("text", "its terms have changed"));
    let (moved, why) = set_aside(dir.path(), &path("games/000001-000.seg"));
    assert_eq!(moved, String::from_utf8_lossy(&games));
    assert_eq!(why, "they are repeated");
    assert_eq!(run.games(VARIANT).generations().unwrap(), [2]);
}

#[test]
fn lines_that_are_no_points_of_curves_are_dropped_and_kept_aside() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = started(dir.path());
    let line = r#"{"step":1,"generation":1,"time":2.0,"loss":0.5}"#;
    let text = format!("{line}\n{{\"step\":\n{line}\n");
    fs::write(run.metrics_path(), &text).unwrap();
    assert_eq!(run.metrics_damage().unwrap(), 1);
    run.drop_bad_metrics("a line is broken").unwrap();
    let path = run.metrics_path();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        format!("{line}\n{line}\n")
    );
    let aside = set_aside(dir.path(), &path);
    assert_eq!(aside, (text, "a line is broken".to_owned()));
}

#[test]
fn damaged_games_are_quarantined_by_whoever_holds_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    play(&run, 1);
    let path = run.games_path().join("000001-000.seg");
    let damage = || {
        let mut bytes = fs::read(&path).unwrap();
        let first = scan(&bytes).frames[0].start;
        bytes[first] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    let finished = FinishedGames { games: vec![3] };
    damage();
    let view = RunDir::open(dir.path()).unwrap();
    let locked = view.quarantine(VARIANT, &finished);
    assert!(matches!(locked, Err(StoreError::Locked { .. })));
    let check = run.quarantine_games(VARIANT, &finished).unwrap();
    assert_eq!((check.damage.len(), check.missing[0].games), (1, 1));
    drop(run);
    damage();
    let check = view.quarantine(VARIANT, &finished).unwrap();
    assert_eq!((check.damage.len(), check.missing[0].games), (1, 2));
    let check = view.quarantine(VARIANT, &finished).unwrap();
    assert_eq!((check.damage.len(), check.games), (0, 1));
}

#[test]
fn old_games_and_models_make_room() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    for generation in 1..=4 {
        play(&run, generation);
    }
    let later = run.segments(3..).unwrap();
    let expected = ["000003-000.seg", "000004-000.seg"];
    assert_eq!(later, expected.map(|name| run.games_path().join(name)));
    fs::write(run.games_path().join("notes"), "").unwrap();
    run.delete_games_before(3).unwrap();
    assert_eq!(run.games(VARIANT).generations().unwrap(), [3, 4]);
    assert!(run.games_path().join("notes").exists());
    run.save_model(ModelId(1), |dir| fs::write(dir.join("w"), ""))
        .unwrap();
    run.delete_model(ModelId(1)).unwrap();
    assert_eq!(run.models().unwrap(), [ModelId(0)]);
}

#[test]
fn games_of_another_run_are_refused() {
    let read = |config: &str| {
        let dir = tempfile::tempdir().unwrap();
        let run = RunWriter::create(dir.path(), config).unwrap();
        let any = Games::new(&run.games_path(), VARIANT);
        any.writer(1)
            .unwrap()
            .append(&record(VARIANT, id(1, 0), 1, 20))
            .unwrap();
        run.games(VARIANT).read(1).map(|read| read.records.len())
    };
    assert_eq!(read(CONFIG).unwrap(), 1);
    assert_eq!(read("").unwrap(), 1, "of a run of an earlier version");
    let other = "run_id = \"00000000000000aa\"\n";
    let message = read(other).unwrap_err().to_string();
    assert!(message.contains("0123456789abcdef"), "{message}");
    let learner = format!("{other}games_{CONFIG}");
    assert_eq!(read(&learner).unwrap(), 1);
}

/// The files that a run may have before its first state.
#[test]
fn a_run_that_has_not_begun_has_little() {
    let fork = format!("{CONFIG}\n [origin] \n");
    type Change = fn(&RunDir);
    let changes: [(Change, Option<usize>, Option<usize>); 6] = [
        // The leftovers of a run from nothing and of a fork; none is a contradiction.
        (|_| (), Some(0), Some(1)),
        (
            |run| fs::write(run.games_path().join(".DS_Store"), "").unwrap(),
            Some(0),
            Some(1),
        ),
        (
            |run| fs::create_dir(run.path().join("models/000001")).unwrap(),
            None,
            Some(2),
        ),
        (
            |run| fs::create_dir(run.path().join("train/000001")).unwrap(),
            None,
            Some(2),
        ),
        (
            |run| fs::write(run.games_path().join("000001-000.seg"), "").unwrap(),
            None,
            Some(1),
        ),
        (
            |run| fs::write(run.path().join("champion"), "0").unwrap(),
            None,
            None,
        ),
    ];
    for (change, from_nothing, of_a_fork) in changes {
        for (config, expected) in [(CONFIG, from_nothing), (&fork, of_a_fork)] {
            let dir = tempfile::tempdir().unwrap();
            let run = RunWriter::create(dir.path(), config).unwrap();
            run.save_model(ModelId(0), |dir| fs::write(dir.join("w"), ""))
                .unwrap();
            change(&run);
            drop(run);
            let run = RunDir::open(dir.path()).unwrap();
            assert_eq!(run.leftovers().ok().map(|left| left.len()), expected);
        }
    }
}

#[test]
fn the_champion_of_before_a_crash_is_replaced_and_any_other_kept_aside() {
    for (named, is_kept) in [("000000\n", false), ("000001\n", false), ("000002\n", true)] {
        let dir = tempfile::tempdir().unwrap();
        let run = started(dir.path());
        run.save_model(ModelId(1), |dir| fs::write(dir.join("w"), ""))
            .unwrap();
        let mut state = LoopState::start();
        (state.generation, state.newest, state.champion) = (2, ModelId(1), ModelId(1));
        run.commit(&state).unwrap();
        drop(run);
        fs::write(dir.path().join("champion"), named).unwrap();
        let mut run = RunWriter::open(dir.path()).unwrap();
        run.settle().unwrap();
        assert_eq!(run.champion().unwrap(), Some(ModelId(1)));
        assert_eq!(run.moved().len(), usize::from(is_kept), "{named}");
    }
}

#[test]
fn the_log_of_a_gate_that_goes_on_stays() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    run.save_model(ModelId(1), |dir| fs::write(dir.join("w"), ""))
        .unwrap();
    let mut state = LoopState::start();
    (state.newest, state.next) = (ModelId(1), store::Phase::Gate);
    run.commit(&state).unwrap();
    for log in ["000000.log", "000001.log", "000002.log", "notes"] {
        fs::write(dir.path().join("gates").join(log), "").unwrap();
    }
    run.write_gate(ModelId(0), &json!({})).unwrap();
    fs::write(dir.path().join("gates/000000.log"), "").unwrap();
    let left: Vec<PathBuf> = run
        .leftovers()
        .unwrap()
        .into_iter()
        .map(|(p, _)| p)
        .collect();
    let expected = ["gates/000000.log", "gates/000002.log"];
    assert_eq!(left, expected.map(|name| dir.path().join(name)));
}
