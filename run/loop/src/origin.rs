//! Runs that begin from what another one has: its weights, everything up to a generation, or its games.
//!
//! What a run begins from stands in its `run.toml` before anything else is done. So one that was killed
//! while it began is begun again when it is opened.

mod fork;
mod retrain;
mod warm_start;

use std::path::Path;

use rules::Variant;
use store::RunDir;

use crate::config::{Asked, ConfigError, ConfigSources, Setting};
use crate::takeover::Source;
use crate::{RequestError, Result};

pub use fork::{ForkReport, fork};
pub use retrain::{recorded_generations, retrain};
pub use warm_start::resume_or_init;

/// The settings that are asked for.
fn asked(sources: &ConfigSources, variant: Variant) -> Result<Vec<Setting>, ConfigError> {
    let mut settings = sources.resolve(variant)?.settings;
    settings.retain(|setting| setting.asked != Asked::No);
    Ok(settings)
}

/// Whether a directory is free for a new run.
fn expect_free(path: &Path) -> Result<()> {
    if RunDir::is_run(path) {
        let message = format!(
            "{} holds a run already: give another directory",
            path.display()
        );
        return Err(RequestError(message).into());
    }
    Ok(())
}
