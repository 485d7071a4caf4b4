//! Errors of opening books.

use rules::Variant;

/// The reason why bytes are not a book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The bytes are something else.
    #[error("this is not an opening book: crownhead book build writes one")]
    NotABook,
    /// The format is of another version of the program.
    #[error("the book has format {found} and this program knows {known}: build it again")]
    Format {
        /// The format version of the file.
        found: u32,
        /// The format version that this program writes.
        known: u32,
    },
    /// The book is of a game that this program does not have.
    #[error("the book is for {found:?}, which is not a game of this program")]
    UnknownVariant {
        /// The name of the game.
        found: String,
    },
    /// The book was built for another version of the rules.
    #[error(
        "the book follows version {found} of the rules of {variant} and this program version \
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
    #[error("the book is cut off at byte {at}: copy or build it again")]
    Truncated {
        /// The length.
        at: usize,
    },
    /// The contents fail a check.
    #[error("the book is damaged at byte {at}: {fault}; copy or build it again")]
    Damaged {
        /// The offset.
        at: usize,
        /// The problem.
        fault: &'static str,
    },
}
