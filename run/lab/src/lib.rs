//! Tools for runs and players; each module can be read on its own.
//!
//! * Runs: [`compare`] trains configurations at equal time, [`plan`] estimates a training run,
//!   [`doctor`] diagnoses one, [`Overview`] shows its progress, [`statistics`] describes its games,
//!   [`games`] and [`PositionTable`] export them.
//! * Players: [`matches`](mod@matches), [`tournament`], [`strength`], [`anchors`], [`results`].
//! * Their games: [`openings`] reads lists of openings, [`pdn`] writes games.
//! * Machines: [`bench`](mod@bench) measures speed, [`signature`] checks whether two builds play
//!   and train identically, [`usage`] how much processor time a command had.
//! * Endings and evaluations: [`endgames`], [`distillation`], [`yardstick`].

pub mod anchors;
pub mod bench;
pub mod compare;
pub mod distillation;
pub mod doctor;
pub mod endgames;
pub mod games;
pub mod matches;
pub mod openings;
pub mod pdn;
pub mod plan;
pub mod plot;
pub mod results;
pub mod signature;
pub mod statistics;
pub mod strength;
pub mod tournament;
pub mod usage;
pub mod yardstick;

mod overview;
mod table;

pub use overview::{Overview, TrainingReport};
pub use run::{RequestError, Result, RunError};
pub use table::PositionTable;
