//! The objects that machines share while they play for one run or tournament. No machine has to be
//! trusted to stay alive.
//!
//! A game of self-play depends on the network, the settings and its number alone, so anybody may
//! play it, and two copies are equal byte for byte. The machines of a run therefore share nothing
//! but a few objects:
//!
//! ```text
//! fleet/protocol.json                         terms that a machine must agree with: Protocol
//! fleet/assignment.json                       the games to play: Assignment
//! fleet/models/NETWORK.safetensors            networks, named by their identity; evaluations by a hash
//! fleet/claims/FOLDER/CHUNK.WORKER            who has begun a chunk; advice, nothing depends on it
//! fleet/games/FOLDER/CHUNK.HASH.WORKER.seg    finished chunks
//! fleet/workers/WORKER.json                   the machines: WorkerStatus
//! fleet/findings/WORKER.json                  excluded machines, and why: Mismatch
//! ```
//!
//! The games of a generation, and the pairs of its matches, are numbered and cut into chunks;
//! FOLDER is the generation, of a match with a hash of its terms. A machine asks [`Claims`] for
//! chunks: first for chunks that no machine has claimed, then for those with the oldest claims, so
//! that dead and slow machines delay no others. The trainer's [`Collector`] takes chunks in the
//! order of their numbers, each once, from any machine; it rejects incomplete ones. No clock, lock
//! or conditional write is needed.
//!
//! The trainer repeats a share of the other machines' chunks ([`Trust`]) and excludes a machine
//! whose games differ.
//!
//! [`open`] sees a share through a gateway too, where [`Volunteers`] may add their own objects
//! ([`may_write`]).
//!
//! This crate moves [`Content`] and knows neither networks nor searches: its users bring them.

mod assignment;
#[cfg(feature = "cloud")]
mod bucket;
mod claims;
mod collector;
mod document;
mod error;
mod gateway;
mod objects;
mod place;
mod protocol;
mod records;
mod share;
mod status;
mod trust;
mod volunteers;

pub use assignment::{
    Assignment, ChunkName, Content, MatchSide, MatchWork, MeetingBatch, MeetingsWork,
    PortablePlayer, Start, Work, games_of_a_part,
};
pub use claims::{Claims, Ready};
pub use collector::{Collector, Suspicion, Taken};
pub use error::ShareError;
pub use gateway::ListedThere;
pub use objects::{Objects, directory};
pub use place::{open, volunteer};
pub use protocol::{Handshake, Protocol, WorkerStatus, model_name, tidy};
pub use records::{Judge, Records};
pub use share::{Listed, ObjectError, Share};
pub use status::{FleetStatus, FleetWorker};
pub use trust::{Mismatch, Trust};
pub use volunteers::{Volunteers, machine_of, may_read, may_write};
