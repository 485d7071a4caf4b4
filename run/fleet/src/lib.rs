//! Games of one run, and of tournaments, on many machines: the trainer's side, the workers' side,
//! and what they share.
//!
//! [`lead`] makes a run share its games, [`FleetTournament`] a tournament. A worker calls [`work`].
//! The run gets the same games and weights, byte for byte, as on one machine.

mod audit;
mod batches;
mod chunks;
mod error;
mod handshake;
mod judge;
mod lead;
mod pairs;
mod portable;
mod table;
mod terms;
mod tournament;
mod work;

pub use audit::{Audit, audit};
pub use error::{FleetError, Result};
pub use lead::lead;
pub use tournament::{FleetTournament, SharedTournament};
pub use work::{Machine, PATIENCE, WorkEvent, work};
