//! The program on a failing disk: `faults/shim.c` intercepts its calls of the C library, and kills
//! it, stops it, makes an operation fail or the disk fill up. Each seed is another history of a few
//! processes; the last one is left undisturbed and must end with the files of an undisturbed run.
//! `run/loop/tests/simulation` has the faults that no process survives: power failures and flipped
//! bits.
//!
//! `CROWNHEAD_SEEDS=7` replays and prints the history of seed 7; `CROWNHEAD_SEEDS=0..1000` tries
//! many.

#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "histories are told to whoever asks")]

#[path = "../../../../run/loop/tests/simulation/outcome.rs"]
mod outcome;
#[path = "../../../../run/loop/tests/simulation/seeds.rs"]
mod seeds;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use run::integrity::check;

use outcome::{Outcome, difference, false_points, outcome, points};

const VARIANT: Variant = Variant::ALL[0];
/// Every stage in every generation, as small as possible.
const TRAIN: &str = "--preset tiny --generations 3 --set threads=1 --set model.blocks=1 --set model.policy_dim=1 \
    --set model.value_channels=1 --set model.value_hidden=1 --set search.simulations=2 \
    --set selfplay.games_per_generation=3 --set selfplay.concurrent_games=2 --set selfplay.fast_simulations=1 \
    --set selfplay.max_plies=12 --set train.batch_size=8 --set gate.max_pairs=2 --set gate.simulations=1 \
    --set rating.pairs=1 --set rating.simulations=1 --set endgame.positions=4";
/// Faults of a process.
const FAULTS: [&str; 4] = ["kill", "stop", "defect", "full"];

/// Compiles the shim with the system's C compiler.
fn shim(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/shim.c");
    let shim = folder.join("shim.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]);
    let output = compiler.arg(&shim).arg(source).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    shim
}

/// Trains the run in `root` to its end in a process.
fn train(root: &Path, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crownhead"));
    command
        .args(["train", VARIANT.name()])
        .args(TRAIN.split_whitespace())
        .arg("--run")
        .arg(root.join("run"))
        .env("CROWNHEAD_FAULT_DIR", root)
        .envs(environment.iter().copied())
        .stdin(Stdio::null());
    command.output().unwrap()
}

/// Trains without a fault; returns the outcome.
fn train_in_peace(root: &Path, environment: &[(&str, &str)]) -> Outcome {
    let output = train(root, environment);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    let run = root.join("run");
    assert_eq!(check(&run).unwrap(), []);
    outcome(&run, VARIANT)
}

/// Lets a process meet a fault.
fn suffer(root: &Path, shim: &str, n_operations: u64, rng: &mut ChaCha8Rng) -> String {
    let kind = *FAULTS.choose(rng).unwrap();
    let fault = format!("{kind} {}", rng.random_range(1..=n_operations));
    let mut environment = vec![("LD_PRELOAD", shim), ("CROWNHEAD_FAULT", &fault)];
    if rng.random_ratio(1, 4) {
        environment.push(("CROWNHEAD_FAULT_SHORT", "1"));
    }
    let output = train(root, &environment);
    let (status, message) = (output.status, String::from_utf8_lossy(&output.stderr));
    let is_expected = match (kind, status.code(), status.signal()) {
        // The process may end before the fault.
        (_, Some(0), None) | ("kill", None, Some(9)) | ("defect" | "full", Some(1), None) => true,
        // Before there is anything to save, it ends like any other program.
        ("stop", Some(130), None) | ("stop", None, Some(15)) => true,
        _ => false,
    };
    assert!(is_expected, "{fault}: {status}: {message}");
    let last = message.lines().last().unwrap_or_default();
    format!("{fault}: {status}: {last}")
}

#[test]
fn every_history_of_the_program_ends_well() {
    let folder = tempfile::tempdir().unwrap();
    let shim = shim(folder.path()).display().to_string();
    let count = folder.path().join("count").display().to_string();
    let root = |name: &str| {
        let root = folder.path().join(name);
        fs::create_dir(&root).unwrap();
        root
    };
    let counting = [("LD_PRELOAD", &*shim), ("CROWNHEAD_FAULT_COUNT", &count)];
    let undisturbed = root("undisturbed");
    let reference = train_in_peace(&undisturbed, &counting);
    let reference_points = points(&undisturbed.join("run"));
    let n_operations: u64 = fs::read_to_string(count).unwrap().parse().unwrap();
    assert!(
        n_operations > 500,
        "only {n_operations} operations were met"
    );

    seeds::live_through(0..50, |seed, is_told| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let root = root(&seed.to_string());
        let mut left = n_operations;
        for _ in 0..rng.random_range(1..4) {
            let what = suffer(&root, &shim, left, &mut rng);
            if is_told {
                println!("{what}");
            }
            left = (left / 2).max(20);
        }
        let found = train_in_peace(&root, &[("LD_PRELOAD", &shim)]);
        let differs = difference(&found, &reference);
        assert!(
            differs.is_empty(),
            "other files than of an undisturbed run: {differs:#?}"
        );
        assert_eq!(false_points(&root.join("run"), &reference_points), []);
        fs::remove_dir_all(root).unwrap();
        "with the files of an undisturbed run"
    });
}
