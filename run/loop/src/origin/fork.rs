//! A run that goes on from a generation of another.

use std::fmt;
use std::path::Path;

use rules::Variant;
use serde::Serialize;

use super::Source;
use crate::config::{ConfigSources, OriginKind, RunOrigin, SettingChange, shape_settings};
use crate::{RequestError, Result, Run, StatusFile};

/// Begins a run in `to` that goes on from a generation of another: `from` is `DIR@N`, or `DIR` for the
/// newest generation. It has that run's games, models, gates, ratings and curves until then, and its
/// settings; those that are asked for in `set` have their new values from the next generation on. The
/// other run stays as it is.
///
/// The optimiser's state is there for the newest model only; from an earlier one the optimiser begins
/// fresh, with the averaged weights, which the origin says. If settings ask for a larger network, that one
/// begins with the same function: the smaller one plays one generation more, which the larger one learns from.
///
/// # Errors
/// When there is a run in `to` already, settings ask for a network that the old one does not fit in, or the
/// disk refuses.
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
            "the network of a fork stays or grows, with a policy_dim that stays, and this one has {found}: learn \
             one of another shape from the games with crownhead retrain"
        );
        return Err(RequestError(message).into());
    }
    file.origin = Some(source.origin(OriginKind::Fork));
    let run = Run::begin(to, file)?;
    StatusFile::open(&run).close(&run);
    Ok(run)
}

/// How a run begins that goes on from another. `Display` is for people, `serde` for programs.
#[derive(Clone, Debug, Serialize)]
pub struct ForkReport {
    /// Its directory.
    pub run: String,
    /// What it begins from.
    pub origin: Option<RunOrigin>,
    /// Settings that are others from now on.
    pub changes: Vec<SettingChange>,
    /// The generation that comes next.
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
        writeln!(f, "\nGo on     crownhead train {variant} --run {run}")
    }
}
