//! What can go wrong with endgame databases.

use std::io;

use rules::Variant;

use crate::{GameValue, MAX_PIECES};

/// Why a database could not be built, written, read or confirmed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndgameError {
    /// A number of pieces for which there are no databases.
    #[error("databases have 2 to {MAX_PIECES} pieces, not {n_pieces}")]
    PieceCount {
        /// What was asked for.
        n_pieces: usize,
    },
    /// The reader or writer failed.
    #[error("the database cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The bytes are something else.
    #[error("this is not an endgame database: it does not begin with {magic:?}")]
    NotADatabase {
        /// What it would begin with.
        magic: &'static str,
    },
    /// The bytes were written by another version of the program.
    #[error("the database has format {found} and this program knows {known}: build it again")]
    Format {
        /// The format of the bytes.
        found: u32,
        /// The format that this program writes.
        known: u32,
    },
    /// The database is one of another game.
    #[error("the database is for {found:?}, not for {wanted}")]
    WrongVariant {
        /// The name that it has.
        found: String,
        /// The variant asked for.
        wanted: Variant,
    },
    /// The database was built by other rules.
    #[error(
        "the database follows version {found} of the rules of {variant} and this program version \
         {known}: build it again"
    )]
    RulesVersion {
        /// The game.
        variant: Variant,
        /// The version in the database.
        found: u32,
        /// The version that this program plays.
        known: u32,
    },
    /// The bytes end early.
    #[error("the database is cut off inside {inside}: copy or build it again")]
    Truncated {
        /// Which part is incomplete.
        inside: String,
    },
    /// The bytes are not those that were written.
    #[error("the database is damaged in {inside}: {fault}; copy or build it again")]
    Damaged {
        /// Which part is damaged.
        inside: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// A stored value does not follow from the values of the positions after it.
    #[error("{fen} of {variant} is stored as {stored:?}, but {fault}: build the database again")]
    Contradiction {
        /// The game.
        variant: Variant,
        /// The position.
        fen: String,
        /// Its value in the database.
        stored: Option<GameValue>,
        /// What speaks against it.
        fault: &'static str,
    },
}
