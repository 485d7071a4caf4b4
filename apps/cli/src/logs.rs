//! Sends the libraries' log messages to files while a run is trained.

use std::path::Path;
use std::sync::Mutex;

use store::RunLog;
use tracing::level_filters::LevelFilter;

/// Writes log messages to a file in `dir`.
pub(crate) fn start(dir: &Path) {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::INFO)
        .with_ansi(false)
        .with_writer(Mutex::new(RunLog::new(dir)))
        .finish();
    // Only the first subscriber of a process counts, and there is no other.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
