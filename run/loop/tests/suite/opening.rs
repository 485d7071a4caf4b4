//! Opening a run: every fault is named, and nothing in the run has changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use rules::Variant;
use run::config::{ConfigSources, Resolved};
use run::integrity::{check, repair, replay};
use run::{Event, Run, RunError, advance_until};

static NEVER: AtomicBool = AtomicBool::new(false);
const VARIANT: Variant = Variant::ALL[0];

fn settings(seed: u64) -> Resolved {
    let sources = ConfigSources {
        preset: Some("tiny".to_owned()),
        seed: Some(seed),
        ..ConfigSources::default()
    };
    sources.resolve(VARIANT).unwrap()
}

/// A run of two generations.
fn trained(path: &Path, seed: u64) {
    let mut run = Run::create(path, VARIANT, settings(seed)).unwrap();
    let ignore = &mut |_: &Run, _: &Event<'_>| Ok(());
    advance_until(&mut run, Some(2), &NEVER, ignore).unwrap();
}

fn resume(path: &Path) -> Result<Run, RunError> {
    Run::resume_or_create(path, VARIANT, settings(1))
}

/// All files with their contents, except the lock.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for path in fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if path.is_dir() {
            found.extend(files(&path));
        } else if !path.ends_with("lock") {
            let bytes = fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

/// Copies a directory.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in fs::read_dir(from)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(path, to).unwrap();
        }
    }
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

fn flip(path: &Path, byte: usize) {
    let mut bytes = fs::read(path).unwrap();
    let at = byte % bytes.len();
    bytes[at] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

/// Damages a run, given another run of the same variant.
type Damage = fn(&Path, &Path);

const FOREIGN: &str = "it belongs to another run: found ";
const DAMAGED: &str = "it is damaged: found ";

const DAMAGES: [(&str, Damage, &str); 19] = [
    (
        "a bit of the weights that training goes on from",
        |run, _| {
            flip(&run.join("train/000002/trainer.safetensors"), 500_000);
        },
        DAMAGED,
    ),
    (
        "another run's training state",
        |run, other| {
            let name = "train/000002/trainer.safetensors";
            fs::copy(other.join(name), run.join(name)).unwrap();
        },
        FOREIGN,
    ),
    (
        "an older training state",
        |run, _| {
            let name = |id: &str| run.join("train").join(id).join("trainer.safetensors");
            fs::copy(name("000001"), name("000002")).unwrap();
        },
        "optimizer steps",
    ),
    (
        "another run's newest model",
        |run, other| {
            copy(&other.join("models/000002"), &run.join("models/000002"));
        },
        FOREIGN,
    ),
    (
        "another run's first model",
        |run, other| {
            copy(&other.join("models/000000"), &run.join("models/000000"));
        },
        FOREIGN,
    ),
    (
        "a model in the place of another",
        |run, _| {
            copy(&run.join("models/000000"), &run.join("models/000001"));
        },
        "parent ",
    ),
    (
        "an older model as the newest",
        |run, _| {
            copy(&run.join("models/000001"), &run.join("models/000002"));
        },
        "contradicts the rest of the run",
    ),
    (
        "a bit of the newest model",
        |run, _| {
            flip(&run.join("models/000002/model.safetensors"), 200_000);
        },
        "model",
    ),
    (
        "a model of other rules",
        |run, _| {
            replace(
                &run.join("models/000002/model.json"),
                "\"rules_version\": 1",
                "\"rules_version\": 7",
            );
        },
        "version 7 of its rules",
    ),
    (
        "another run's games",
        |run, other| {
            fs::copy(
                other.join("games/000002-000.seg"),
                run.join("games/000002-000.seg"),
            )
            .unwrap();
        },
        FOREIGN,
    ),
    (
        "games of a generation to come",
        |run, _| {
            fs::copy(
                run.join("games/000002-000.seg"),
                run.join("games/000009-000.seg"),
            )
            .unwrap();
        },
        "games of generation 9 exist",
    ),
    (
        "another run's progress",
        |run, other| {
            fs::copy(other.join("state.json"), run.join("state.json")).unwrap();
        },
        FOREIGN,
    ),
    (
        "edited progress",
        |run, _| {
            replace(&run.join("state.json"), "\"newest\": 2", "\"newest\": 0");
        },
        DAMAGED,
    ),
    (
        "no progress",
        |run, _| fs::remove_file(run.join("state.json")).unwrap(),
        "state.json",
    ),
    (
        "no training states",
        |run, _| fs::remove_dir_all(run.join("train")).unwrap(),
        "train/",
    ),
    (
        "broken ratings",
        |run, _| fs::write(run.join("ratings.json"), "{").unwrap(),
        "ratings.json",
    ),
    (
        "another run's ratings",
        |run, other| {
            fs::copy(other.join("ratings.json"), run.join("ratings.json")).unwrap();
        },
        FOREIGN,
    ),
    (
        "an edited setting",
        |run, _| {
            replace(&run.join("run.toml"), "simulations = 4", "simulations = 5");
        },
        DAMAGED,
    ),
    (
        "no settings",
        |run, _| fs::remove_file(run.join("run.toml")).unwrap(),
        "run.toml",
    ),
];

#[test]
fn what_does_not_fit_is_named_and_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, other) = (dir.path().join("whole"), dir.path().join("other"));
    trained(&whole, 1);
    trained(&other, 2);
    for (number, (what, damage, expected)) in DAMAGES.into_iter().enumerate() {
        let run = dir.path().join(number.to_string());
        copy(&whole, &run);
        damage(&run, &other);
        let before = files(&run);
        let message = resume(&run).err().map(|error| error.to_string());
        let message = message.unwrap_or_else(|| panic!("{what} is not noticed"));
        assert!(message.contains(expected), "{what}: {message}");
        let next = format!("`crownhead repair {}` repairs", run.display());
        assert!(message.contains(&next), "{what}: {message}");
        assert!(files(&run) == before, "{what}: something was changed");
    }
}

/// After a repair every one of them resumes; if only derived data was lost, with the same result.
#[test]
fn what_was_damaged_is_named_and_mended() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, other) = (dir.path().join("whole"), dir.path().join("other"));
    trained(&whole, 1);
    trained(&other, 2);
    assert_eq!(check(&whole).unwrap(), []);
    let replayed = replay(&whole, 6).unwrap();
    assert_eq!((replayed.faults, replayed.n_replayed), (Vec::new(), 6));
    let next = |path: &Path| {
        let mut run = resume(path).unwrap();
        let ignore = &mut |_: &Run, _: &Event<'_>| Ok(());
        advance_until(&mut run, Some(3), &NEVER, ignore).unwrap();
        fs::read(path.join("models/000003/model.safetensors")).unwrap()
    };
    let expected = {
        let path = dir.path().join("further");
        copy(&whole, &path);
        next(&path)
    };
    for (number, (what, damage, _)) in DAMAGES.into_iter().enumerate() {
        let run = dir.path().join(number.to_string());
        copy(&whole, &run);
        damage(&run, &other);
        let before = files(&run);
        let faults = check(&run).unwrap();
        assert!(!faults.is_empty(), "{what}");
        assert!(files(&run) == before, "{what}: looking changed something");
        let mended = repair(&run, false).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(!mended.is_empty(), "{what}");
        let model = next(&run);
        // Games, models and training states of the past are lost if they were overwritten.
        let lost = ["games", "first model", "place", "training states"];
        let is_lost = lost.iter().any(|lost| what.contains(lost));
        assert!(is_lost || model == expected, "{what}: {mended:#?}");
    }
}

/// The program's version does not affect results and has no checksum.
#[test]
fn a_copy_of_the_settings_that_differs_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    trained(dir.path(), 1);
    let copy = dir.path().join("train/run.toml");
    let text = fs::read_to_string(&copy).unwrap();
    let other = text.replace("code_version = \"", "code_version = \"1");
    assert_ne!(other, text);
    fs::write(&copy, other).unwrap();
    let [fault] = &check(dir.path()).unwrap()[..] else {
        panic!("the copy has one fault");
    };
    assert_eq!(fault.found, "settings that differ from run.toml");
    repair(dir.path(), false).unwrap();
    assert_eq!(fs::read_to_string(&copy).unwrap(), text);
    assert_eq!(check(dir.path()).unwrap(), []);
}

/// Requested settings are compared before anything is opened.
#[test]
fn another_game_or_seed_leaves_the_run_alone() {
    let dir = tempfile::tempdir().unwrap();
    trained(dir.path(), 1);
    fs::write(
        dir.path().join("models/.tmp-000003"),
        "an interrupted write",
    )
    .unwrap();
    let before = files(dir.path());
    let other = Variant::ALL[1];
    let asked = ConfigSources::default().resolve(other).unwrap();
    for error in [
        Run::resume_or_create(dir.path(), other, asked),
        Run::resume_or_create(dir.path(), VARIANT, settings(99)),
    ] {
        assert!(error.err().unwrap().is_request());
        assert!(files(dir.path()) == before);
    }
}

#[test]
fn what_an_interrupted_write_left_is_moved_and_said() {
    let dir = tempfile::tempdir().unwrap();
    trained(dir.path(), 1);
    fs::write(
        dir.path().join("models/.tmp-000003"),
        "an interrupted write",
    )
    .unwrap();
    let run = resume(dir.path()).unwrap();
    let [moved] = run.moved() else {
        panic!("{:?}", run.moved())
    };
    assert_eq!(moved.from, dir.path().join("models/.tmp-000003"));
    assert_eq!(fs::read(&moved.to).unwrap(), b"an interrupted write");
    drop(run);
    assert_eq!(resume(dir.path()).unwrap().moved(), []);
}
