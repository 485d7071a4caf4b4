//! Shell completions for the values of options and arguments.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;

use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use rules::Variant;
use run::config::{SCHEMA, preset_summaries};
use settings::Domain;
use store::RunDir;

/// The environment variable that names the shell when it asks for completions.
pub(crate) const VARIABLE: &str = "CROWNHEAD_COMPLETE";

/// Default directory of runs.
pub(crate) const RUNS: &str = "runs";

/// Variants, each with a short description.
pub(crate) fn variants() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let candidate = |variant: Variant| described(variant.name(), variant.about().summary);
        Variant::ALL.into_iter().map(candidate).collect()
    })
}

/// Presets of settings.
pub(crate) fn presets() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let presets = preset_summaries();
        presets
            .map(|(name, summary)| described(name, &summary))
            .collect()
    })
}

/// Sections and keys of the configuration.
pub(crate) fn keys() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let section = |key: &'static str| key.split_once('.').map(|(section, _)| section);
        let keys = SCHEMA.keys().map(|key| key.name.as_str());
        let names: BTreeSet<&str> = keys
            .flat_map(|key| [section(key), Some(key)])
            .flatten()
            .collect();
        names.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// Keys of the configuration followed by `=`, and values if there are only a few.
pub(crate) fn settings() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let current = current.to_string_lossy();
        let offered: Vec<String> = match current.split_once('=') {
            None => SCHEMA.keys().map(|key| format!("{}=", key.name)).collect(),
            Some((name, _)) => {
                let key = SCHEMA.keys().find(|key| key.name == name);
                match key.map(|key| &key.domain) {
                    Some(Domain::OneOf(values)) => values
                        .iter()
                        .map(|value| format!("{name}={value}"))
                        .collect(),
                    _ => Vec::new(),
                }
            }
        };
        let fitting = offered
            .into_iter()
            .filter(|text| text.starts_with(&*current));
        fitting.map(CompletionCandidate::new).collect()
    })
}

/// The runs in `runs/`, or directories if no run matches.
pub(crate) fn runs() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| match runs_like(current) {
        runs if runs.is_empty() => PathCompleter::dir().complete(current),
        runs => runs,
    })
}

/// Complete players, the runs in `runs/`, and prefixes of other players.
pub(crate) fn players() -> ArgValueCompleter {
    const PLAYERS: [&str; 5] = [
        "bundled",
        "ab:bundled",
        "random",
        "alphabeta:depth=",
        "mcts:rollouts=",
    ];
    ArgValueCompleter::new(|current: &OsStr| {
        let is_meant = |player: &&str| player.starts_with(&*current.to_string_lossy());
        let players = PLAYERS.into_iter().filter(is_meant);
        let players = players.map(CompletionCandidate::new);
        players.chain(runs_like(current)).collect()
    })
}

/// The runs in `runs/` that start with `current`, with the prefix `run:` if it has that.
fn runs_like(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let (prefix, begun) = match current.strip_prefix("run:") {
        Some(begun) => ("run:", begun),
        None => ("", &*current),
    };
    let entries = fs::read_dir(RUNS).into_iter().flatten().flatten();
    let places: BTreeSet<String> = entries
        .map(|entry| entry.path())
        .filter(|path| RunDir::is_run(path))
        .filter_map(|path| path.to_str().map(str::to_owned))
        .filter(|place| place.starts_with(begun))
        .collect();
    let candidates = places.into_iter().map(|place| format!("{prefix}{place}"));
    candidates.map(CompletionCandidate::new).collect()
}

fn described(name: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(help.to_owned().into()))
}
