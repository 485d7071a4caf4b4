//! Runs that start from another run: from its weights, its state at a generation, or its games.
//!
//! The origin is written to `run.toml` before anything else. A run that was killed while it was
//! being created is therefore created again when it is opened.

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

/// The requested settings.
fn asked(sources: &ConfigSources, variant: Variant) -> Result<Vec<Setting>, ConfigError> {
    let mut settings = sources.resolve(variant)?.settings;
    settings.retain(|setting| setting.asked != Asked::No);
    Ok(settings)
}

/// Checks that a directory is free for a new run.
fn expect_free(path: &Path) -> Result<()> {
    if RunDir::is_run(path) {
        let message = format!(
            "{} already holds a run: use another directory",
            path.display()
        );
        return Err(RequestError(message).into());
    }
    Ok(())
}
