//! The record of one game: its moves, what the search found for each, and the result.
//!
//! Records hold positions, moves and targets, never network inputs. Targets are held as they are stored,
//! in eight bits, so that a record read back equals the one written: a resumed run trains on the same
//! numbers as one that was never stopped.

mod eight_bit;
mod error;
mod pdn;
mod replay;
mod v1;

use std::fmt;

use rules::{Move, Outcome, Position, Variant};

pub(crate) use eight_bit::probabilities;
pub use eight_bit::{Policy8, Surprise, Wdl8};
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
    /// The result, by the rules or adjudicated; none if the game was cut off at the ply cap.
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
    /// The name of the network that played.
    pub network: String,
    /// Hash of the run's configuration.
    pub config_hash: u64,
}

/// A game of a run. A repeated stage plays the same games again, under the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameId {
    /// The generation.
    pub generation: u32,
    /// Its number within the generation, from 0.
    pub number: u32,
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.generation, self.number)
    }
}

/// A move and the search that chose it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// How it was chosen.
    pub search: RecordedSearch,
}

/// How a move was chosen. Values are from the view of the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedSearch {
    /// A random opening move, which makes games differ.
    Opening,
    /// The only legal move.
    Forced {
        /// The value of the position, if it was known without a search.
        value: Option<Wdl8>,
    },
    /// A fast search: it chooses a move, and gives no policy target.
    Fast {
        /// The value of the root after the search.
        value: Wdl8,
    },
    /// A full search, whose policy is a training target.
    Full {
        /// The value of the root after the search.
        value: Wdl8,
        /// The network's value of the position, without search.
        raw_value: Wdl8,
        /// Divergence of the policy target from the network's policy.
        surprise: Surprise,
        /// The policy target.
        policy: Policy8,
    },
}

impl RecordedSearch {
    /// The value of the position for the side to move, if it is known.
    pub fn value(&self) -> Option<Wdl8> {
        match *self {
            RecordedSearch::Opening => None,
            RecordedSearch::Forced { value } => value,
            RecordedSearch::Fast { value } | RecordedSearch::Full { value, .. } => Some(value),
        }
    }
}

impl Record {
    /// The record as bytes in the newest format. A game that the rules do not allow is an error.
    pub fn encode(&self) -> Result<Vec<u8>, RecordError> {
        v1::encode(self)
    }

    /// Reads a record of any format version. The game is replayed: illegal moves, a wrong result and
    /// any other inconsistency are errors, never panics.
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
