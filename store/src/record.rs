//! The record of one game: its moves, what the search said about each, and how it ended.
//!
//! Records hold positions, moves and targets, never network inputs. Targets are held as they are stored,
//! in eight bits, so that a record read back is equal to the one that was written: a run that was killed
//! and reads its games again trains on the same numbers as one that went on.

mod eight_bit;
mod error;
mod replay;
mod v1;

use std::fmt;

use rules::{Move, Outcome, Position, Variant};

pub(crate) use eight_bit::probabilities;
pub use eight_bit::{Policy8, Surprise, Wdl, Wdl8};
pub use error::RecordError;
pub(crate) use replay::Replay;

/// One game of self-play.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Where the game comes from.
    pub header: Header,
    /// The position of the first ply.
    pub start: Position,
    /// The game, move by move.
    pub plies: Vec<Ply>,
    /// How it ended, by the rules or adjudicated; none where it was cut off by a cap on its length.
    pub result: Option<Outcome>,
}

/// Where a game comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The variant that was played.
    pub variant: Variant,
    /// The version of its rules.
    pub rules_version: u32,
    /// The seed of the run.
    pub seed: u64,
    /// Which game of the run this is.
    pub id: GameId,
    /// The network that played, by its name.
    pub network: String,
    /// Hash of the configuration under which it was played.
    pub config_hash: u64,
}

/// A game of a run. A stage that is repeated plays the same games again, under the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameId {
    /// The generation that it belongs to.
    pub generation: u32,
    /// Its number in the generation.
    pub number: u32,
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.generation, self.number)
    }
}

/// A move and what was known when it was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// How it was chosen.
    pub search: Search,
}

/// How a move was chosen. Values are those of the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Search {
    /// Drawn at random or from a book, to make games differ.
    Opening,
    /// The only legal move.
    Forced {
        /// The value of the position, where it came for nothing.
        value: Option<Wdl8>,
    },
    /// A cheap search, good for a move and not for a target.
    Fast {
        /// The value of the root after the search.
        value: Wdl8,
    },
    /// A search that the network is to learn from.
    Full {
        /// The value of the root after the search.
        value: Wdl8,
        /// The network's own value of the position.
        raw_value: Wdl8,
        /// How far the policy target is from the network's own policy.
        surprise: Surprise,
        /// The policy target.
        policy: Policy8,
    },
}

impl Search {
    /// The value of the position for the side to move, where there was a search.
    pub fn value(&self) -> Option<Wdl8> {
        match *self {
            Search::Opening => None,
            Search::Forced { value } => value,
            Search::Fast { value } | Search::Full { value, .. } => Some(value),
        }
    }
}

impl Record {
    /// The record as bytes, in the newest format. Refuses a game that the rules do not allow.
    pub fn encode(&self) -> Result<Vec<u8>, RecordError> {
        v1::encode(self)
    }

    /// The record in bytes of any format that was ever written. The game is replayed: moves that are not
    /// legal, a wrong result or anything else that does not fit is an error, never a panic.
    pub fn decode(bytes: &[u8]) -> Result<Record, RecordError> {
        match bytes.first() {
            Some(&v1::VERSION) => v1::decode(bytes),
            Some(&found) => Err(RecordError::Version {
                found,
                known: v1::VERSION,
            }),
            None => Err(RecordError::Truncated {
                inside: "the format version",
            }),
        }
    }
}
