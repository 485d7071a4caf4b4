//! Errors in records.

use rules::{FenError, UnknownVariant, Variant};

use crate::ids::RunId;

/// Error of an invalid record. Plies are counted from 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// The bytes end too early.
    #[error("the bytes end inside {inside}")]
    Truncated {
        /// The part that is cut off.
        inside: &'static str,
    },
    /// Bytes follow the record.
    #[error("{count} bytes follow the last ply")]
    TrailingBytes {
        /// Their number.
        count: usize,
    },
    /// The frame around the bytes cannot be decompressed.
    #[error("the frame cannot be decompressed: {reason}")]
    Frame {
        /// The decompressor's error.
        reason: String,
    },
    /// The format is unknown.
    #[error("format version {found} is unknown: this program reads versions up to {known}")]
    Version {
        /// The version in the record.
        found: u8,
        /// The newest known version.
        known: u8,
    },
    /// A number or text in the header is malformed.
    #[error("{what} is malformed")]
    Malformed {
        /// The malformed item.
        what: &'static str,
    },
    /// The variant is unknown.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The game is of another variant than its segment.
    #[error("this is a game of {found}, not of {expected}")]
    OtherVariant {
        /// The game's variant.
        found: Variant,
        /// The segment's variant.
        expected: Variant,
    },
    /// The game is of another generation than its segment.
    #[error("this is a game of generation {found}, not of {expected}")]
    OtherGeneration {
        /// The game's generation.
        found: u32,
        /// The segment's generation.
        expected: u32,
    },
    /// The game is of another run.
    #[error(
        "it belongs to another run: found a game of run {found}, expected one of run {expected}"
    )]
    OtherRun {
        /// The game's run.
        found: RunId,
        /// The run that it was found in.
        expected: RunId,
    },
    /// The game was played under other rules.
    #[error(
        "the game was played by version {found} of the rules of {variant}, and this program has \
         version {known}: use the version that wrote it"
    )]
    RulesVersion {
        /// The variant.
        variant: Variant,
        /// The version of the record.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// The start position is invalid.
    #[error("the start position is invalid: {0}")]
    Start(#[from] FenError),
    /// The start position is of another variant than the header.
    #[error("the start position is of {start}, but the header says {header}")]
    StartVariant {
        /// The variant of the position.
        start: Variant,
        /// The variant of the header.
        header: Variant,
    },
    /// The game is too long.
    #[error("the game has {n_plies} plies: a record holds at most {}", u16::MAX)]
    TooLong {
        /// Its length.
        n_plies: usize,
    },
    /// A move is not legal.
    #[error("ply {ply}: {from}-{to} is not a legal move (there are {n_legal})")]
    IllegalMove {
        /// The ply.
        ply: usize,
        /// The number of the square that the move starts from.
        from: usize,
        /// The number of the square that it ends on.
        to: usize,
        /// Number of legal moves.
        n_legal: usize,
    },
    /// A move's index is too large.
    #[error("ply {ply}: move index {index} is out of range: there are {n_legal} legal moves")]
    MoveIndex {
        /// The ply.
        ply: usize,
        /// The index.
        index: u64,
        /// Number of legal moves.
        n_legal: usize,
    },
    /// The kind of a search is unknown.
    #[error("ply {ply}: {found} is an unknown kind of search")]
    UnknownSearch {
        /// The ply.
        ply: usize,
        /// The number.
        found: u8,
    },
    /// A move is marked as forced but is not.
    #[error("ply {ply}: the move is marked as forced, but there are {n_legal} legal moves")]
    NotForced {
        /// The ply.
        ply: usize,
        /// Number of legal moves.
        n_legal: usize,
    },
    /// A policy target does not fit the position.
    #[error("ply {ply}: the policy has {n_moves} moves, but there are {n_legal} legal moves")]
    PolicyLength {
        /// The ply.
        ply: usize,
        /// Moves in the policy.
        n_moves: usize,
        /// Number of legal moves.
        n_legal: usize,
    },
    /// A policy target is zero everywhere.
    #[error("ply {ply}: the policy is zero everywhere")]
    EmptyPolicy {
        /// The ply.
        ply: usize,
    },
    /// The probabilities of a value exceed 1.
    #[error("ply {ply}: the probabilities of win and loss sum to more than 1")]
    ImpossibleValue {
        /// The ply.
        ply: usize,
    },
    /// A move follows the end of the game.
    #[error("ply {ply}: the game is already over ({reason})")]
    AfterTheEnd {
        /// The first ply after the end.
        ply: usize,
        /// The rule that ended the game.
        reason: &'static str,
    },
    /// The recorded result contradicts the rules.
    #[error("the recorded result is `{recorded}`, but the moves give `{replayed}`")]
    WrongResult {
        /// The recorded result as text.
        recorded: String,
        /// The result of the replayed game as text.
        replayed: String,
    },
}
