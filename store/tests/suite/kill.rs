//! A process that writes a run is killed repeatedly; nothing it has committed is lost.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::{id, record};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use store::{Games, LoopState, ModelId, Phase, RunDir, RunWriter};

const VARIANT: Variant = Variant::English;
const GAMES_PER_GENERATION: u32 = 5;
const RUN_VARIABLE: &str = "CROWNHEAD_TEST_RUN";

/// A training loop without training. It prints what it guarantees to be on disk.
#[test]
#[ignore = "the process that the other test kills"]
fn child() {
    let Some(path) = std::env::var_os(RUN_VARIABLE).map(PathBuf::from) else {
        return;
    };
    let (run, mut state) = open(&path);
    loop {
        let generation = state.generation;
        let mut writer = Games::new(&run.games_path(), VARIANT)
            .writer(generation)
            .unwrap();
        for number in 0..GAMES_PER_GENERATION {
            writer
                .append(&record(VARIANT, id(generation, number), 1, 30))
                .unwrap();
            writer.sync().unwrap();
            println!("game {generation} {number}");
        }
        state.next = Phase::Train;
        run.commit(&state).unwrap();
        let fill = |dir: &Path| fs::write(dir.join("weights"), generation.to_string());
        state.train = Some(run.save_train(fill).unwrap());
        state.newest = ModelId(generation);
        run.save_model(state.newest, fill).unwrap();
        state.champion = state.newest;
        (state.generation, state.next) = (generation + 1, Phase::SelfPlay);
        run.commit(&state).unwrap();
        println!("generation {generation} 0");
    }
}

fn open(path: &Path) -> (RunWriter, LoopState) {
    let mut run = if RunDir::is_run(path) {
        RunWriter::open(path).unwrap()
    } else {
        RunWriter::create(path, "run_id = \"0\"\n").unwrap()
    };
    run.settle().unwrap();
    let state = run.state().unwrap().unwrap_or_else(|| {
        let start = LoopState::start();
        run.save_model(start.newest, |dir: &Path| {
            fs::write(dir.join("weights"), "0")
        })
        .unwrap();
        run.commit(&start).unwrap();
        start
    });
    (run, state)
}

/// Starts the child, kills it a moment after some lines, and returns its output.
fn run_and_kill(path: &Path, n_lines: usize, moment: Duration) -> Vec<(String, u32, u32)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["kill::child", "--exact", "--ignored", "--nocapture"])
        .env(RUN_VARIABLE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines: Vec<String> = output.by_ref().take(n_lines).map(Result::unwrap).collect();
    thread::sleep(moment);
    child.kill().unwrap();
    child.wait().unwrap();
    lines.extend(output.map_while(Result::ok));
    let promise = |line: &String| {
        let mut words = line.split(' ');
        let kind = words
            .next()
            .filter(|kind| ["game", "generation"].contains(kind))?;
        Some((
            kind.to_owned(),
            words.next()?.parse().ok()?,
            words.next()?.parse().ok()?,
        ))
    };
    lines.iter().filter_map(promise).collect()
}

#[test]
fn promises_outlive_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut promised = BTreeSet::new();
    let mut n_generations = 0;
    for _ in 0..12 {
        let n_lines = rng.random_range(5..20);
        let moment = Duration::from_micros(rng.random_range(0..5000));
        for (kind, generation, number) in run_and_kill(&path, n_lines, moment) {
            if kind == "game" {
                promised.insert((generation, number));
            } else {
                n_generations = generation;
            }
        }
        let (run, state) = open(&path);
        assert!(
            state.generation > n_generations,
            "generation {n_generations} is lost"
        );
        let weights = fs::read_to_string(run.model(state.newest).unwrap().join("weights"));
        assert_eq!(weights.unwrap(), state.newest.0.to_string());
        assert_eq!(run.champion().unwrap(), Some(state.champion));
    }
    assert!(n_generations > 2, "the child must get somewhere");
    let games = Games::new(&path.join("games"), VARIANT);
    for (generation, number) in promised {
        let read = games.read(generation).unwrap();
        let found = read
            .records
            .iter()
            .find(|record| record.header.id.number == number);
        assert_eq!(found, Some(&record(VARIANT, id(generation, number), 1, 30)));
        assert_eq!(read.n_duplicates, 0);
    }
}
