//! Errors of endgame databases.

use std::io;

use rules::Variant;

use crate::{GameValue, MAX_PIECES};

/// The reason why a database could not be built, written, read or verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndgameError {
    /// An unsupported number of pieces.
    #[error("databases have 2 to {MAX_PIECES} pieces, not {n_pieces}")]
    PieceCount {
        /// The requested number.
        n_pieces: usize,
    },
    /// The reader or writer failed.
    #[error("the database cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The bytes are not an endgame database.
    #[error("this is not an endgame database: it does not begin with {magic:?}")]
    NotADatabase {
        /// The expected first bytes.
        magic: &'static str,
    },
    /// The format is of another version of the program.
    #[error("the database has format {found} and this program knows {known}: build it again")]
    Format {
        /// The format version of the file.
        found: u32,
        /// The format version that this program writes.
        known: u32,
    },
    /// The database is for another variant.
    #[error("the database is for {found:?}, not for {wanted}")]
    WrongVariant {
        /// The variant named in the file.
        found: String,
        /// The requested variant.
        wanted: Variant,
    },
    /// The database was built for another version of the rules.
    #[error(
        "the database follows version {found} of the rules of {variant} and this program version \
         {known}: build it again"
    )]
    RulesVersion {
        /// The variant.
        variant: Variant,
        /// The version in the file.
        found: u32,
        /// The version in this program.
        known: u32,
    },
    /// The file is truncated.
    #[error("the database is cut off inside {inside}: copy or build it again")]
    Truncated {
        /// The incomplete part.
        inside: String,
    },
    /// The contents fail a checksum or consistency check.
    #[error("the database is damaged in {inside}: {fault}; copy or build it again")]
    Damaged {
        /// The damaged part.
        inside: String,
        /// The problem.
        fault: &'static str,
    },
    /// A stored value contradicts the values of the successors.
    #[error("{fen} of {variant} is stored as {stored:?}, but {fault}: build the database again")]
    Contradiction {
        /// The variant.
        variant: Variant,
        /// The position as FEN.
        fen: String,
        /// The stored value.
        stored: Option<GameValue>,
        /// The contradiction.
        fault: &'static str,
    },
}
