//! What machines that play for one run share, and how none of them has to be trusted to stay alive.
//!
//! A game of self-play depends on the network, the settings and its number alone, so anybody may play it, and
//! two copies are equal byte for byte. The machines of a run therefore share nothing but a few objects:
//!
//! ```text
//! fleet/protocol.json                              what a machine must agree with: Protocol
//! fleet/task.json                                  what is played now: Task
//! fleet/models/NETWORK.safetensors                 networks, named by their identity
//! fleet/claims/GENERATION/CHUNK.WORKER             who has begun what; advice, nothing depends on it
//! fleet/games/GENERATION/CHUNK.HASH.WORKER.seg     finished games
//! fleet/workers/WORKER.json                        who is there: WorkerStatus
//! ```
//!
//! The games of a generation are numbered and cut into chunks. Somebody who plays asks [`Claims`] for chunks:
//! first such as nobody has claimed, then those whose claims are oldest, so that the dead and the slow hold
//! nobody up. The trainer's [`Collector`] takes the games in the order of their numbers, each once, whoever
//! played them; it believes nothing that is not whole. No clock, lock or conditional write is needed.
//!
//! This crate moves records and knows neither networks nor searches: who plays the games brings them.

mod claims;
mod collector;
mod error;
mod protocol;
mod share;

pub use claims::Claims;
pub use collector::{Collector, Suspicion};
pub use error::FleetError;
pub use protocol::{ChunkName, Handshake, Protocol, Task, WorkerStatus, model_name, tidy};
pub use share::{Listed, Objects, Share, ShareError, directory};
