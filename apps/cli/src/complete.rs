//! Shell completions for the values of options and arguments.

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
        let described = preset_summaries().map(|(name, summary)| described(name, &summary));
        described.collect()
    })
}

/// Sections and keys of the configuration.
pub(crate) fn keys() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let keys: Vec<&str> = SCHEMA.keys().map(|key| key.name.as_str()).collect();
        let sections = keys.iter().filter_map(|key| section(key));
        let mut names: Vec<&str> = sections.chain(keys.iter().copied()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(CompletionCandidate::new).collect()
    })
}

fn section(key: &str) -> Option<&str> {
    key.split_once('.').map(|(section, _)| section)
}

/// Keys of the configuration followed by `=`, and values if there are only a few.
pub(crate) fn settings() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let current = current.to_string_lossy();
        let offered: Vec<String> = match current.split_once('=') {
            None => SCHEMA.keys().map(|key| format!("{}=", key.name)).collect(),
            Some((name, _)) => {
                let values = SCHEMA
                    .keys()
                    .find(|key| key.name == name)
                    .map(|key| &key.domain);
                let values = match values {
                    Some(Domain::OneOf(values)) => values.to_vec(),
                    _ => Vec::new(),
                };
                values
                    .iter()
                    .map(|value| format!("{name}={value}"))
                    .collect()
            }
        };
        let offered = offered
            .into_iter()
            .filter(|text| text.starts_with(&*current));
        offered.map(CompletionCandidate::new).collect()
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
        let mut players: Vec<_> = players.map(CompletionCandidate::new).collect();
        players.extend(runs_like(current));
        players
    })
}

/// The runs in `runs/` that start with `current`, with the prefix `run:` if it has that.
fn runs_like(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let (prefix, begun) = match current.strip_prefix("run:") {
        Some(begun) => ("run:", begun),
        None => ("", &*current),
    };
    let mut places: Vec<String> = fs::read_dir(RUNS)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| RunDir::is_run(path))
        .filter_map(|path| path.to_str().map(str::to_owned))
        .filter(|place| place.starts_with(begun))
        .collect();
    places.sort_unstable();
    let candidates = places.into_iter();
    candidates
        .map(|place| CompletionCandidate::new(format!("{prefix}{place}")))
        .collect()
}

fn described(name: &str, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(help.to_owned().into()))
}
