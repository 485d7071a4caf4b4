//! The commands, each with its arguments.

pub(crate) mod analyse;
pub(crate) mod anchors;
pub(crate) mod bench;
pub(crate) mod book;
pub(crate) mod card;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod config;
pub(crate) mod data;
pub(crate) mod distill;
pub(crate) mod doctor;
pub(crate) mod dxp;
pub(crate) mod endgame;
pub(crate) mod export;
pub(crate) mod fleet;
pub(crate) mod fork;
pub(crate) mod games;
pub(crate) mod hub;
pub(crate) mod matches;
pub(crate) mod moves;
pub(crate) mod perft;
pub(crate) mod plan;
pub(crate) mod play;
pub(crate) mod puzzles;
pub(crate) mod rate;
pub(crate) mod retrain;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod status;
pub(crate) mod strength;
pub(crate) mod study;
pub(crate) mod tournament;
pub(crate) mod worker;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use rules::{Position, Variant};
use run::RequestError;

/// The position of a FEN given as an option, or the variant's start.
fn position(variant: Variant, fen: Option<&str>) -> Result<Position, RequestError> {
    let position = agent::games::position(variant, fen);
    position.map_err(|error| RequestError(error.to_string()))
}

/// Returns a flag that is set at the first Ctrl-C; the second one ends the process.
fn stop_on_ctrl_c() -> anyhow::Result<Arc<AtomicBool>> {
    on_ctrl_c(|| ())
}

/// As [`stop_on_ctrl_c`], and calls `first` at the first Ctrl-C.
pub(crate) fn on_ctrl_c(first: impl Fn() + Send + 'static) -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    // The flag may also be set for another reason.
    let (flag, is_pressed) = (Arc::clone(&stop), AtomicBool::new(false));
    ctrlc::set_handler(move || {
        if is_pressed.swap(true, Ordering::Relaxed) {
            // Everything finished is already on disk.
            std::process::exit(130);
        }
        flag.store(true, Ordering::Relaxed);
        first();
    })
    .context("failed to listen for Ctrl-C")?;
    Ok(stop)
}

/// The outcome of showing a result. Files that were asked for are written although the reader has
/// gone, as `head` does.
fn shown(shown: anyhow::Result<()>, has_files: bool) -> io::Result<()> {
    match shown.map_err(io_error) {
        Err(error) if has_files && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        shown => shown,
    }
}

/// The cause of a result that could not be written.
fn io_error(error: anyhow::Error) -> io::Error {
    let error = error.downcast::<io::Error>();
    let error = error.or_else(|error| error.downcast::<serde_json::Error>().map(io::Error::from));
    error.unwrap_or_else(io::Error::other)
}
