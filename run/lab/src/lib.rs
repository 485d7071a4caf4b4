//! Questions about runs and players, each a module that can be read alone.
//!
//! * About runs: [`compare`] trains configurations at equal time, [`plan`] estimates a training
//!   run, [`doctor`] finds what is wrong with one, [`Overview`] says where it is, [`statistics`]
//!   what its games are like, [`games`] and [`PositionTable`] take them elsewhere.
//! * About players: [`matches`](mod@matches), [`tournament`], [`strength`], [`anchors`],
//!   [`results`].
//! * About machines: [`bench`](mod@bench) measures speed, [`signature`] whether two builds play and
//!   learn alike.
//! * About endings and evaluations: [`endgames`], [`distillation`].

pub mod anchors;
pub mod bench;
pub mod compare;
pub mod distillation;
pub mod doctor;
pub mod endgames;
pub mod games;
pub mod matches;
pub mod plan;
pub mod plot;
pub mod results;
pub mod signature;
pub mod statistics;
pub mod strength;
pub mod tournament;

mod error;
mod overview;
mod pdn;
mod table;

pub use error::{LabError, RequestError, Result};
pub use overview::{Overview, TrainingReport};
pub use table::PositionTable;
