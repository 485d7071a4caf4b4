//! The record of one game: its moves, the search results for each, and the outcome.
//!
//! Records hold positions, moves and targets, never network inputs. Targets are held as they are
//! stored, in eight bits, so that a record read back equals the one written: a resumed run trains
//! on the same numbers as one that was never stopped.

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

/// One self-play game.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The origin of the game.
    pub header: Header,
    /// The position of the first ply.
    pub start: Position,
    /// The moves in order.
    pub plies: Vec<Ply>,
    /// The result, by the rules or adjudicated; `None` if the game was truncated at the ply cap.
    pub result: Option<Outcome>,
}

/// The origin of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The variant that was played.
    pub variant: Variant,
    /// The version of its rules.
    pub rules_version: u32,
    /// The seed of the run.
    pub seed: u64,
    /// The game's identity within the run.
    pub id: GameId,
    /// The name of the network that played.
    pub network: String,
    /// Hash of the run's configuration.
    pub config_hash: u64,
}

impl Header {
    /// The header of the games of a generation, before they have numbers. They belong to no run.
    pub fn new(variant: Variant, seed: u64, generation: u32, network: impl Into<String>) -> Header {
        Header {
            variant,
            rules_version: variant.rules_version(),
            seed,
            id: GameId {
                generation,
                number: 0,
            },
            network: network.into(),
            config_hash: 0,
        }
    }
}

/// Identity of a game in a run. A repeated stage plays the same games again, with the same numbers.
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
    /// The selection of the move.
    pub search: RecordedSearch,
}

/// The way a move was chosen. Values are for the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedSearch {
    /// A random opening move, for diversity.
    Opening,
    /// The only legal move.
    Forced {
        /// The value of the position, if it was known without a search.
        value: Option<Wdl8>,
    },
    /// A fast search: it only chooses a move, without a policy target.
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
    /// Encodes the record in the newest format. An illegal game is an error.
    pub fn encode(&self) -> Result<Vec<u8>, RecordError> {
        v1::encode(self)
    }

    /// Decodes a record of any format version. The game is replayed: illegal moves, a wrong result
    /// and any other inconsistency are errors, never panics.
    pub fn decode(bytes: &[u8]) -> Result<Record, RecordError> {
        match bytes.first() {
            Some(&v1::VERSION) => v1::decode(bytes),
            Some(found) => Err(RecordError::new(format!(
                "format version {found} is unknown: this program reads versions up to {}",
                v1::VERSION
            ))),
            None => Err(RecordError::truncated("the format version")),
        }
    }
}
