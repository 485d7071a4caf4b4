//! The outcome of a run without what may differ: times, logs, and files in `set-aside/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use rules::Variant;
use run::config::RunFile;
use serde_json::Value;
use store::RunDir;

/// Files that are compared separately, are only informative, or may differ.
const OTHERS: [&str; 9] = [
    "lock",
    "state.json",
    "ratings.json",
    "status.json",
    "metrics.jsonl",
    "games",
    "tensorboard",
    "logs",
    "set-aside",
];

/// Files by name, with the content that has to be the same.
pub(crate) type Outcome = BTreeMap<String, Vec<u8>>;

pub(crate) fn outcome(path: &Path, variant: Variant) -> Outcome {
    let mut found = Outcome::new();
    files(path, path, &mut found);
    // Comments may differ.
    for name in ["run.toml", "train/run.toml"] {
        let text = fs::read_to_string(path.join(name)).unwrap();
        let file = RunFile::parse(name, &text).unwrap();
        found.insert(name.to_owned(), file.render().into_bytes());
    }
    for name in ["state.json", "ratings.json"] {
        let mut document: Value =
            serde_json::from_slice(&fs::read(path.join(name)).unwrap()).unwrap();
        without_times(&mut document);
        found.insert(name.to_owned(), document.to_string().into_bytes());
    }
    let run = RunDir::open(path).unwrap();
    found.insert(
        "champion".to_owned(),
        format!("{:?}", run.champion().unwrap()).into_bytes(),
    );
    let games = run.games(variant);
    for generation in games.generations().unwrap() {
        let read = games.read(generation).unwrap();
        let text = format!("{} duplicates, {:?}", read.n_duplicates, read.records);
        found.insert(format!("games of {generation}"), text.into_bytes());
    }
    found
}

fn files(root: &Path, dir: &Path, found: &mut Outcome) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if OTHERS.contains(&name.as_str()) {
        } else if path.is_dir() {
            files(root, &path, found);
        } else {
            found.insert(name, fs::read(path).unwrap());
        }
    }
}

fn without_times(document: &mut Value) {
    match document {
        Value::Object(map) => {
            map.retain(|key, _| key != "seconds" && key != "checksum");
            map.values_mut().for_each(without_times);
        }
        Value::Array(list) => list.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// The files that differ.
pub(crate) fn difference(found: &Outcome, expected: &Outcome) -> Vec<String> {
    let names: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    let differs = names
        .into_iter()
        .filter(|name| found.get(*name) != expected.get(*name));
    let describe = |name: &String| {
        let size = |side: &Outcome| side.get(name).map(Vec::len);
        format!(
            "{name} ({:?} bytes, {:?} expected)",
            size(found),
            size(expected)
        )
    };
    differs.map(describe).collect()
}

/// A point of a curve: generation, step and tag.
pub(crate) type Point = (u32, u64, String);

/// The points of all curves.
pub(crate) fn points(path: &Path) -> Vec<Point> {
    let lines = RunDir::open(path).unwrap().metrics().unwrap();
    let points = lines.into_iter().flat_map(|line| {
        let (generation, step) = (line.generation, line.step);
        let tags = line
            .values
            .into_keys()
            .filter(|tag| tag != "process/memory_mib");
        tags.map(move |tag| (generation, step, tag))
    });
    points.collect()
}

/// Points that are unexpected or duplicated. Some may be missing.
pub(crate) fn false_points(path: &Path, expected: &[Point]) -> Vec<Point> {
    let mut missing = expected.to_vec();
    let mut found = points(path);
    found.retain(|point| {
        let place = missing.iter().position(|other| other == point);
        place.map(|place| missing.swap_remove(place)).is_none()
    });
    found
}
