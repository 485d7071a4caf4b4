//! Forks: runs that continue from a generation of another run.

use std::fmt;
use std::path::Path;

use rules::Variant;
use serde::Serialize;

use super::Source;
use crate::config::{ConfigSources, OriginKind, RunOrigin, SettingChange, shape_settings};
use crate::{RequestError, Result, Run, StatusFile};

/// Creates a run in `to` that continues from a generation of another one: `from` is `DIR@N`, or
/// `DIR` for the newest generation. The fork has that run's games, models, gates, ratings and
/// curves up to that generation, and its settings; settings in `set` take effect with the next
/// generation. The other run is unchanged.
///
/// The optimizer state exists for the newest model only. A fork of an earlier model starts with a
/// new optimizer and the averaged weights, and its origin says so. If the settings ask for a larger
/// network, it starts with the same function: the smaller network plays one more generation, from
/// which the larger one learns.
///
/// # Errors
/// If there is already a run in `to`, the settings ask for a network that cannot contain the old
/// one, or the disk fails.
pub fn fork(from: &str, to: &Path, set: &ConfigSources) -> Result<Run> {
    super::expect_free(to)?;
    let source = Source::open(from)?;
    let variant = source.file.variant;
    let first = source.generation.0 + 1;
    let mut file = source.file.clone();
    file.changes.retain(|change| change.generation < first);
    file.ask(variant, &ConfigSources::default().resolve(variant)?, first)?;
    for setting in super::asked(set, variant)? {
        file.change(&setting, first)?;
    }
    file.resolved = file.settings_of(u32::MAX)?;
    let (shape, found) = (
        file.resolved.config.model.shape(variant)?,
        &source.model.config,
    );
    if !shape.contains(found) {
        let found = shape_settings(found);
        let found = found.map(|(key, value)| format!("{key}={value}")).join(" ");
        let found = format!("model.inputs={} {found}", source.model.config.inputs.name());
        let message = format!(
            "the network of a fork can only keep its shape or grow with the same policy_dim, and \
             this one has {found}: to train a network of another shape on the games, use \
             crownhead retrain"
        );
        return Err(RequestError(message).into());
    }
    file.origin = Some(source.origin(OriginKind::Fork));
    let run = Run::begin(to, file)?;
    StatusFile::open(&run).close(&run);
    Ok(run)
}

/// Report of a new fork. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, Serialize)]
pub struct ForkReport {
    /// Directory of the run.
    pub run: String,
    /// Origin of the run.
    pub origin: Option<RunOrigin>,
    /// Settings that change with the next generation.
    pub changes: Vec<SettingChange>,
    /// Next generation.
    pub generation: u32,
    #[serde(skip)]
    variant: Variant,
}

impl From<&Run> for ForkReport {
    fn from(run: &Run) -> ForkReport {
        let generation = run.state().generation;
        let changes = run.file().changes.iter();
        let ahead = changes.filter(|change| change.generation >= generation);
        ForkReport {
            run: run.dir().path().display().to_string(),
            origin: run.file().origin.clone(),
            changes: ahead.cloned().collect(),
            generation,
            variant: run.variant(),
        }
    }
}

impl fmt::Display for ForkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (run, variant) = (&self.run, self.variant);
        if let Some(origin) = &self.origin {
            writeln!(f, "{run} is {origin}.")?;
        }
        for change in &self.changes {
            writeln!(f, "Setting: {change}")?;
        }
        let run = types::shell_word(run);
        writeln!(f, "\nContinue   crownhead train {variant} --run {run}")
    }
}
