//! The objects that machines share while they play for one run or tournament. No machine has to be
//! trusted to stay alive.
//!
//! A self-play game only depends on the network, the settings and its number, so any machine may
//! play it, and two copies are equal byte for byte. The machines of a run therefore share only a
//! few objects:
//!
//! ```text
//! fleet/protocol.json                         terms that a machine must meet: Protocol
//! fleet/assignment.json                       the games to play: Assignment
//! fleet/models/NETWORK.safetensors            networks by identity, evaluations by hash
//! fleet/claims/FOLDER/CHUNK.WORKER            claims of chunks: hints only
//! fleet/games/FOLDER/CHUNK.HASH.WORKER.seg    finished chunks
//! fleet/workers/WORKER.json                   the machines: WorkerStatus
//! fleet/findings/WHO.json                     excluded machines and volunteers, and why: Mismatch
//! fleet/leader.lock                           in a directory, held by the trainer
//! ```
//!
//! The games of a generation, and the pairs of its matches, are numbered and divided into chunks;
//! FOLDER is the generation with a hash of the terms. A machine asks [`Claims`] for chunks: first
//! for unclaimed ones, then for those with the oldest claims, so that dead and slow machines delay
//! no others. The trainer's [`Collector`] takes chunks in the order of their numbers, each once,
//! from any machine; it rejects incomplete ones. No clock, lock or conditional write is needed.
//!
//! The trainer repeats a fraction of the other machines' chunks ([`Trust`]) and excludes a machine
//! whose games differ.
//!
//! [`open`] also opens a share through a gateway, a program of its own, where volunteers may add
//! their own objects. Names of machines of the volunteer `ada` begin with `ada.`, and all of them
//! are trusted, or not, as one.
//!
//! This crate transports [`Content`] without knowing networks or searches: its users provide them.

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
mod sweep;
mod trust;

pub use assignment::{
    Assignment, CLAIMS, ChunkName, Content, GAMES, MatchSide, MatchWork, MeetingBatch,
    MeetingsWork, PortablePlayer, Start, Work, games_of_a_part,
};
pub use claims::{Claims, Ready};
pub use collector::{Collector, Suspicion, Taken};
pub use error::ShareError;
pub use gateway::ListedThere;
pub use objects::{Objects, directory};
pub use place::{machine_of, open, variables, volunteer};
pub use protocol::{Handshake, Protocol, WORKERS, WorkerStatus, model_name, tidy};
pub use records::{Judge, Records};
pub use share::{Listed, ObjectError, Share};
pub use status::{FleetStatus, FleetWorker};
pub use trust::{Mismatch, Trust, identity};
