//! Games: listed, judged, measured, and made into opening books and puzzles.
//!
//! * [`collection`] lists, filters, merges and rewrites files of games.
//! * [`analysis`] judges the moves of such files, and single positions, on all cores.
//! * [`balance`] measures what self-play says about a game, and compares games.
//! * [`books`] builds opening books from files and runs, extends them and looks into them.
//! * [`openings`] finds those that a player holds for even.
//! * [`puzzles`] finds positions with one good move in the games of a run.
//! * [`svg`] has the parts of plots.
//!
//! A [`Journal`] keeps what a long command has finished, so that it resumes. [`phases`] divides a
//! game by its pieces.

pub mod analysis;
pub mod balance;
pub mod books;
pub mod collection;
pub mod openings;
pub mod puzzles;
pub mod svg;

mod chart;
mod journal;
mod phase;
#[cfg(test)]
mod place;

pub use journal::Journal;
pub use phase::{N_PHASES, phases};
pub use run::{RequestError, Result, RunError};

/// Rejects a path to which something was written before, or whose folder does not exist.
///
/// # Errors
/// The path cannot be used.
pub fn check_is_new(path: &std::path::Path) -> Result<(), RequestError> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let (path, folder) = (path.display(), folder.display());
        let message = format!("{path} cannot be written: make the folder {folder} first");
        return Err(RequestError(message));
    }
    match path.exists() {
        false => Ok(()),
        true => Err(RequestError(format!(
            "{} exists: remove it, or write to another place",
            path.display()
        ))),
    }
}
