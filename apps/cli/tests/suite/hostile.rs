//! Hostile input: every kind of fault in every file of a run against every command that reads it,
//! and engines, names and paths that try to control the terminal.

#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "the suite tells what it has tried")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::copy;

const CROWNHEAD: &str = env!("CARGO_BIN_EXE_crownhead");
const TRAIN: &str = "train english --preset tiny --generations 2 --set threads=1 \
    --set model.blocks=1 --set model.policy_dim=1 --set model.value_channels=1 \
    --set model.value_hidden=1 --set search.simulations=2 --set selfplay.games_per_generation=3 \
    --set selfplay.max_plies=12 --set train.batch_size=8 --set endgame.pieces=2";
/// Time for a command, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Expected exit statuses: done, failed, wrong usage.
const ENDINGS: [i32; 3] = [0, 1, 2];

/// A fault of a file. `other` is the same file of another run.
type Fault = fn(path: &Path, other: &Path);

const FAULTS: [(&str, Fault); 11] = [
    ("missing", |path, _| fs::remove_file(path).unwrap()),
    ("empty", |path, _| fs::write(path, "").unwrap()),
    ("half", |path, _| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("noise", |path, _| {
        let bytes: Vec<u8> = (0..5000_u32).map(|n| (n * n / 7) as u8).collect();
        fs::write(path, bytes).unwrap();
    }),
    ("escapes", |path, _| {
        fs::write(path, "\u{1b}[31m{\u{9b}2J\n".repeat(9)).unwrap()
    }),
    ("huge", |path, _| {
        File::create(path).unwrap().set_len(5 << 30).unwrap()
    }),
    ("of another run", |path, other| {
        fs::copy(other, path).unwrap();
    }),
    ("pipe", |path, _| {
        fs::remove_file(path).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }),
    ("socket", |path, _| {
        fs::remove_file(path).unwrap();
        // The name may be longer than a socket's may be.
        let short = Path::new("/tmp").join(format!("crownhead-{}.sock", std::process::id()));
        let _ = fs::remove_file(&short);
        drop(UnixListener::bind(&short).unwrap());
        fs::rename(short, path).unwrap();
    }),
    ("device", |path, _| {
        fs::remove_file(path).unwrap();
        symlink("/dev/zero", path).unwrap();
    }),
    ("folder", |path, _| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
];

/// Commands on the run RUN, with OUT as a folder for results. Those that change the run come last.
const COMMANDS: [&str; 14] = [
    "status RUN",
    "doctor RUN",
    "check RUN",
    "check RUN --replay 1",
    "data stats RUN",
    "data export RUN --to OUT/games.pdn",
    "match run:RUN random --pairs 1 --sims 2 --threads 1",
    "export run:RUN --to OUT/export --formats onnx",
    "export run:RUN --to OUT/page --page",
    "fork RUN@1 --to OUT/fork",
    "train english --run RUN --preset tiny --generations 2",
    "data check RUN",
    "repair RUN",
    "repair RUN --yes",
];

/// Runs a command; how it ended, and everything that it said.
fn run(line: &str, dir: &Path) -> (Option<i32>, String) {
    let said = dir.join("said");
    let file = File::create(&said).unwrap();
    let mut child = Command::new(CROWNHEAD)
        .args(line.split_whitespace())
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(file.try_clone().unwrap())
        .stderr(file)
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let ending = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None if begun.elapsed() > PATIENCE => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    (
        ending,
        String::from_utf8_lossy(&fs::read(said).unwrap()).into_owned(),
    )
}

fn succeed(line: &str, dir: &Path) -> String {
    let (ending, said) = run(line, dir);
    assert_eq!(ending, Some(0), "{line}: {said}");
    said
}

/// Collects the files of a run, except logs and TensorBoard's.
fn files(run: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(run).unwrap();
        if path.is_file() {
            found.push(name.to_owned());
        } else if !["logs", "tensorboard"].map(Path::new).contains(&name) {
            files(run, &path, found);
        }
    }
}

/// A fault in a file.
struct Case<'a> {
    fault: (&'static str, Fault),
    file: &'a Path,
}

/// The fault of a command, if it has one.
fn complaint(ending: Option<i32>, said: &str) -> Option<&'static str> {
    let steers = |c: char| c.is_control() && !"\n\t\r".contains(c);
    match ending {
        None => Some("hangs or is killed"),
        Some(code) if !ENDINGS.contains(&code) => Some("ends badly"),
        _ if said.contains("panicked at") => Some("panics"),
        _ if said.contains(steers) => Some("steers the terminal"),
        _ => None,
    }
}

/// Tries every `step`-th fault on every command, and tells how many ended how.
fn attack(step: usize) {
    let folder = tempfile::tempdir().unwrap();
    for (name, seed) in [("whole", 1), ("other", 2)] {
        succeed(
            &format!("{TRAIN} --run {name} --seed {seed}"),
            folder.path(),
        );
    }
    let whole = folder.path().join("whole");
    let mut names = Vec::new();
    files(&whole, &whole, &mut names);
    names.sort();
    let cases = names
        .iter()
        .flat_map(|file| FAULTS.map(|fault| Case { fault, file }));
    let cases: Vec<Case<'_>> = cases.step_by(step).collect();
    let next = AtomicUsize::new(0);
    let (counts, complaints) = (Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let dir = tempfile::tempdir().unwrap();
            let broken = dir.path().join("RUN");
            copy(&whole, &broken);
            fs::create_dir(dir.path().join("OUT")).unwrap();
            let (what, fault) = case.fault;
            fault(
                &broken.join(case.file),
                &folder.path().join("other").join(case.file),
            );
            for line in COMMANDS {
                let (ending, said) = run(line, dir.path());
                *counts.lock().unwrap().entry((what, ending)).or_insert(0) += 1;
                if let Some(complaint) = complaint(ending, &said) {
                    let (file, said) = (case.file.display(), said.escape_debug());
                    let text = format!("{line} with {file} {what} {complaint}: {said}");
                    complaints.lock().unwrap().push(text);
                }
            }
        }
    };
    let n_threads = thread::available_parallelism().unwrap().get();
    thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(work);
        }
    });
    let (counts, complaints) = (
        counts.into_inner().unwrap(),
        complaints.into_inner().unwrap(),
    );
    let total: usize = counts.values().sum();
    let (n_faults, n_files) = (cases.len(), names.len());
    println!("{total} commands on {n_faults} damaged runs of {n_files} files:");
    for ((what, ending), count) in counts {
        println!("{count:6} with a file {what}: exit status {ending:?}");
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn damaged_files_are_told_in_words() {
    attack(37);
}

#[test]
#[ignore = "takes minutes: scripts/check.sh deep"]
fn every_fault_in_every_file_is_told_in_words() {
    attack(1);
}

/// An engine that answers a move with a control sequence.
#[test]
fn an_engine_does_not_steer_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\nwhile read line; do case $line in hub) printf 'id name=\"e\\033[5m\" version=1\\nwait\\n';; \
         init) echo ready;; go*) printf 'done move=\\033[31m32-28\\n';; quit) exit;; esac; done\n";
    let engine = dir.path().join("engine.sh");
    fs::write(&engine, script).unwrap();
    let player = format!("hub:sh {}", engine.display());
    let output = Command::new(CROWNHEAD)
        .args([
            "match",
            &player,
            "random",
            "--variant",
            "frisian",
            "--pairs",
            "1",
        ])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(!said.contains('\u{1b}'), "{}", said.escape_debug());
    assert!(said.contains("[31m"), "the test shows nothing: {said}");
}

#[test]
fn names_and_paths_do_not_steer_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let pdn = dir.path().join("games.pdn");
    let names = ["a\u{1b}[31mb", "\u{202e}c\u{9b}2J"];
    let game = format!(
        "[White \"{}\"]\n[Black \"{}\"]\n[Result \"2-0\"]\n2-0\n\n",
        names[0], names[1]
    );
    fs::write(&pdn, game.repeat(3)).unwrap();
    for args in [
        &["rate", pdn.to_str().unwrap()][..],
        &["rate", pdn.to_str().unwrap(), "--format", "csv"],
        &["rate", pdn.to_str().unwrap(), "--format", "json"],
        &["rate", "no\u{1b}[2Jfile"],
        &["status", "no\u{1b}]0;title\u{7}run"],
        &["status", "a", "--no\u{1b}[2J"],
        &["perft", "english\u{1b}[2J", "1"],
        &["train", "english", "--config", "no\u{1b}[2Jfile"],
    ] {
        let output = Command::new(CROWNHEAD).args(args).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let complaint = complaint(output.status.code(), &said);
        assert_eq!(complaint, None, "{args:?}: {}", said.escape_debug());
        assert!(!said.is_empty() && !said.contains('\u{202e}'), "{args:?}");
    }
}

#[test]
fn a_closed_standard_output_is_a_failure() {
    for line in [
        "rules english",
        "match random random --variant english --pairs 1",
        "perft english 2",
        "--version",
        "train --help",
        "completions bash",
    ] {
        let script = format!("exec {CROWNHEAD} {line} >&-");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {error}");
        assert!(
            error.contains("standard output is closed"),
            "{line}: {error}"
        );
        // Python and node open it for reading and writing to discard results.
        for discarded in ["> /dev/null", "1<> /dev/null"] {
            let script = format!("exec {CROWNHEAD} {line} {discarded}");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{line} {discarded}");
        }
    }
}

/// Files named on the command line.
#[test]
fn devices_and_pipes_are_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let made = Command::new("mkfifo").arg(dir.path().join("pipe")).status();
    assert!(made.unwrap().success());
    for place in ["/dev/zero", "pipe", "."] {
        for line in [
            "rate PLACE",
            "match random random --variant english --openings PLACE",
            "train english --run run --config PLACE",
            "match ab:PLACE random --variant english",
            "match model:PLACE random --variant english",
            "match material:english,book=PLACE random --variant english",
            "book show PLACE",
            "serve --port 0 --puzzles PLACE",
            "serve --port 0 --book PLACE",
            "bench evaluation PLACE --judge material:english",
        ] {
            let begun = Instant::now();
            let (ending, said) = run(&line.replace("PLACE", place), dir.path());
            assert!(
                [Some(1), Some(2)].contains(&ending),
                "{line} {place}: {ending:?} {said}"
            );
            assert!(begun.elapsed() < Duration::from_secs(30), "{line} {place}");
        }
    }
}
