//! The opening books of a server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use book::Book;
use page::OpeningMove;
use roster::{RequestError, Result};
use rules::{Color, Position, Variant};
use serde::Serialize;

/// Opening books, at most one of each game.
#[derive(Clone, Default)]
pub struct Books(BTreeMap<Variant, Arc<OpenBook>>);

/// A book that was read.
struct OpenBook {
    path: PathBuf,
    book: Book,
}

/// The moves of a book in a position.
#[derive(Serialize)]
pub(crate) struct BookView {
    /// The name of the file.
    name: String,
    /// The player that searched; empty without searches.
    analyst: String,
    /// The best move first.
    moves: Vec<OpeningMove>,
}

impl Books {
    /// Reads the files.
    ///
    /// # Errors
    /// If one cannot be read, or two are of the same game.
    pub fn read(files: &[PathBuf]) -> Result<Books> {
        let mut books = BTreeMap::new();
        for path in files {
            let book = store::read_book(path)?;
            let variant = book.variant();
            let open = OpenBook {
                path: path.clone(),
                book,
            };
            if let Some(other) = books.insert(variant, Arc::new(open)) {
                let (first, second) = (other.path.display(), path.display());
                return Err(RequestError(format!(
                    "{first} and {second} are both books of {variant}: name one, or merge them with \
                     `crownhead book build {} {} --to BOOK`",
                    types::shell_word(&first.to_string()),
                    types::shell_word(&second.to_string())
                ))
                .into());
            }
        }
        Ok(Books(books))
    }

    /// The file of a game's book.
    pub(crate) fn path(&self, variant: Variant) -> Option<&Path> {
        self.0.get(&variant).map(|open| open.path.as_path())
    }

    /// The moves of a position in its game's book; `None` without a book.
    pub(crate) fn view(&self, position: &Position) -> Option<BookView> {
        let OpenBook { path, book } = self.0.get(&position.variant())?.as_ref();
        let name = path.file_name().unwrap_or_default();
        Some(BookView {
            name: name.to_string_lossy().into_owned(),
            analyst: book.analyst().to_owned(),
            moves: moves(book, position),
        })
    }
}

/// The moves of a book with White's results.
fn moves(book: &Book, position: &Position) -> Vec<OpeningMove> {
    let is_white = position.turn() == Color::White;
    let found = book.moves(position).into_iter();
    let view = found.map(|found| {
        let (own, other) = (found.tally.wins, found.tally.losses);
        let (white, black) = if is_white { (own, other) } else { (other, own) };
        let value = found.expected();
        OpeningMove {
            notation: position.move_text(found.mv),
            white,
            draw: found.tally.draws,
            black,
            open: found.tally.open,
            value: value.map(|value| if is_white { value } else { 1.0 - value }),
        }
    });
    view.collect()
}
