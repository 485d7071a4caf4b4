//! Opening books: built from games, expanded by a player, shown and exported.

mod build;
mod expand;
mod show;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use book::Book;
use rules::Variant;
use serde::Serialize;
use types::tidy;

use run::{RequestError, Result};

pub use self::build::{BookSources, build};
pub use self::expand::{Expansion, expand};
pub use self::show::{BookPosition, ExportedLines, ShownMove, export, position};

/// A book on disk, in figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BookSummary {
    /// The file.
    pub file: PathBuf,
    /// The game.
    pub variant: &'static str,
    /// Its positions.
    pub positions: usize,
    /// Positions that a player has searched.
    pub searched: usize,
    /// The player that searched and its effort; empty without one.
    pub analyst: String,
    /// Bytes of the file.
    pub bytes: u64,
}

impl BookSummary {
    /// The figures of a book that was read from a file, or written to it.
    pub fn new(file: &Path, book: &Book) -> BookSummary {
        BookSummary {
            file: file.to_owned(),
            variant: book.variant().name(),
            positions: book.len(),
            searched: book.searched(),
            analyst: book.analyst().to_owned(),
            bytes: file.metadata().map_or(0, |metadata| metadata.len()),
        }
    }
}

impl fmt::Display for BookSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kilobytes = tidy(self.bytes as f64 / 1e3, 1);
        let (file, positions) = (self.file.display(), self.positions);
        write!(
            f,
            "{file}: {}, {positions} positions, {kilobytes} kB",
            self.variant
        )?;
        if self.searched > 0 {
            write!(f, ", {} searched by {}", self.searched, self.analyst)?;
        }
        writeln!(f)
    }
}

/// The game of a new book, if nothing says which one it is.
fn needed(variant: Option<Variant>) -> Result<Variant, RequestError> {
    variant.ok_or_else(|| {
        RequestError("nothing says for which game the book is: write --variant english".to_owned())
    })
}
