//! Tools for runs and players; each module can be read on its own.
//!
//! * Runs: [`compare`] trains configurations at equal time, [`plan`] estimates a training run,
//!   [`doctor`] diagnoses one, [`Overview`] shows its progress, [`statistics`] describes its games,
//!   [`games`] and [`PositionTable`] export them.
//! * Players: [`matches`](mod@matches), [`tournament`], [`strength`], [`anchors`], [`results`].
//! * Openings: [`books`] builds opening books and looks into them, [`openings`] reads lists.
//! * Games: [`analysis`] judges the moves of files of games, [`collection`] lists and merges files,
//!   [`puzzles`] finds positions with one good move in the games of a run.
//! * Machines: [`bench`](mod@bench) measures speed, [`signature`] checks whether two builds play
//!   and train identically, [`usage`] how much processor time a command had.
//! * Endings and evaluations: [`endgames`], [`distillation`], [`yardstick`].

pub mod analysis;
pub mod anchors;
pub mod bench;
pub mod books;
pub mod collection;
pub mod compare;
pub mod distillation;
pub mod doctor;
pub mod endgames;
pub mod games;
pub mod matches;
pub mod openings;
pub mod plan;
pub mod plot;
pub mod puzzles;
pub mod results;
pub mod signature;
pub mod statistics;
pub mod strength;
pub mod tournament;
pub mod usage;
pub mod yardstick;

mod journal;
mod overview;
pub mod pdn;
mod table;

pub use overview::{Overview, TrainingReport};
pub use run::{RequestError, Result, RunError};
pub use table::PositionTable;

/// Rejects a path to which something was written before.
fn check_is_new(path: &std::path::Path) -> Result<(), RequestError> {
    match path.exists() {
        false => Ok(()),
        true => Err(RequestError(format!(
            "{} exists: remove it, or write to another place",
            path.display()
        ))),
    }
}
