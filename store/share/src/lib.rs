//! What machines that play for one run or tournament share, and how none of them has to be trusted
//! to stay alive.
//!
//! A game of self-play depends on the network, the settings and its number alone, so anybody may
//! play it, and two copies are equal byte for byte. The machines of a run therefore share nothing
//! but a few objects:
//!
//! ```text
//! fleet/protocol.json                         what a machine must agree with: Protocol
//! fleet/assignment.json                       what is played now: Assignment
//! fleet/models/NETWORK.safetensors            networks, named by their identity; evaluations by a hash
//! fleet/claims/FOLDER/CHUNK.WORKER            who has begun what; advice, nothing depends on it
//! fleet/games/FOLDER/CHUNK.HASH.WORKER.seg    what is finished
//! fleet/workers/WORKER.json                   who is there: WorkerStatus
//! fleet/findings/WORKER.json                  who is not believed any more, and why: Mismatch
//! ```
//!
//! The games of a generation, and the pairs of its matches, are numbered and cut into chunks;
//! FOLDER is the generation, of a match with a hash of its terms. Somebody who plays asks
//! [`Claims`] for chunks: first such as nobody has claimed, then those whose claims are oldest, so
//! that the dead and the slow hold nobody up. The trainer's [`Collector`] takes them in the order
//! of their numbers, each once, whoever played them; it believes nothing that is not whole. No
//! clock, lock or conditional write is needed.
//!
//! A share of what others have played is played again ([`Trust`]). Who has shared anything else is
//! believed nothing any more.
//!
//! [`open`] sees a share through a gateway too, where [`Volunteers`] may add what is theirs
//! ([`may_write`]).
//!
//! This crate moves [`Content`] and knows neither networks nor searches: who plays the games brings
//! them.

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
