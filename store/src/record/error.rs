//! Why a record cannot be written or read.

use rules::{FenError, UnknownVariant, Variant};

/// Why something is not the record of a game. Plies are counted from 0.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// The bytes end too early.
    #[error("bytes end inside {inside}")]
    Truncated {
        /// What is cut off.
        inside: &'static str,
    },
    /// Bytes follow after the record.
    #[error("{count} bytes follow after the last ply")]
    TrailingBytes {
        /// How many.
        count: usize,
    },
    /// The frame around the bytes cannot be unpacked.
    #[error("frame cannot be unpacked: {reason}")]
    Frame {
        /// What the decompressor says.
        reason: String,
    },
    /// The format is not known.
    #[error("format version {found} is unknown: this program reads versions up to {known}")]
    Version {
        /// The version in the record.
        found: u8,
        /// The newest version that is known.
        known: u8,
    },
    /// A number or text in the header is malformed.
    #[error("{what} is malformed")]
    Malformed {
        /// Which one.
        what: &'static str,
    },
    /// The variant is not known.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The game is of another variant than the place where it is kept.
    #[error("a game of {found} among games of {expected}")]
    OtherVariant {
        /// The game's variant.
        found: Variant,
        /// The variant of the place.
        expected: Variant,
    },
    /// The game is of another generation than the place where it is kept.
    #[error("a game of generation {found} among those of generation {expected}")]
    OtherGeneration {
        /// The game's generation.
        found: u32,
        /// The generation of the place.
        expected: u32,
    },
    /// The game was played under other rules.
    #[error(
        "the game follows version {found} of the rules of {variant}, this program version {known}: \
         read it with the program that wrote it"
    )]
    RulesVersion {
        /// The variant.
        variant: Variant,
        /// The version of the record.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// The start position is not a position.
    #[error("start position: {0}")]
    Start(#[from] FenError),
    /// The start position is of another variant than the header.
    #[error("the start position is one of {start}, the header says {header}")]
    StartVariant {
        /// The variant of the position.
        start: Variant,
        /// The variant of the header.
        header: Variant,
    },
    /// The game is longer than a record may be.
    #[error("{n_plies} plies are more than a record holds, {}", u16::MAX)]
    TooLong {
        /// Its length.
        n_plies: usize,
    },
    /// A move is not legal.
    #[error("ply {ply}: {from}-{to} is not one of the {n_legal} legal moves")]
    IllegalMove {
        /// The ply.
        ply: usize,
        /// The number of the square that the move starts from.
        from: usize,
        /// The number of the square that it ends on.
        to: usize,
        /// How many legal moves there are.
        n_legal: usize,
    },
    /// A move's index is too large.
    #[error("ply {ply}: there is no move {index} among {n_legal} legal moves")]
    MoveIndex {
        /// The ply.
        ply: usize,
        /// The index.
        index: u64,
        /// How many legal moves there are.
        n_legal: usize,
    },
    /// The way a move was chosen is coded by an unknown number.
    #[error("ply {ply}: unknown kind of search {found}")]
    UnknownSearch {
        /// The ply.
        ply: usize,
        /// The number.
        found: u8,
    },
    /// A move is called forced and is not.
    #[error("ply {ply}: called forced, but there are {n_legal} legal moves")]
    NotForced {
        /// The ply.
        ply: usize,
        /// How many legal moves there are.
        n_legal: usize,
    },
    /// A policy target does not fit the position.
    #[error("ply {ply}: a policy over {n_moves} moves, but there are {n_legal} legal moves")]
    PolicyLength {
        /// The ply.
        ply: usize,
        /// Moves in the policy.
        n_moves: usize,
        /// How many legal moves there are.
        n_legal: usize,
    },
    /// A policy target is zero everywhere.
    #[error("ply {ply}: the policy is zero everywhere")]
    EmptyPolicy {
        /// The ply.
        ply: usize,
    },
    /// A value's parts are more than the whole.
    #[error("ply {ply}: win and loss together are more than certain")]
    ImpossibleValue {
        /// The ply.
        ply: usize,
    },
    /// The game goes on after its end.
    #[error("ply {ply}: the game is over before ({reason})")]
    AfterTheEnd {
        /// The first ply that is too many.
        ply: usize,
        /// How the rules ended the game.
        reason: &'static str,
    },
    /// The result is not the one that the rules give.
    #[error("the result is recorded as {recorded}, the moves lead to {replayed}")]
    WrongResult {
        /// The recorded result in words.
        recorded: String,
        /// The result of the replayed game in words.
        replayed: String,
    },
}
