//! Opening books on disk. The crate `book` defines their content.

use std::io::Read as _;
use std::path::Path;

use book::{Book, MAGIC, MAX_BYTES};

use crate::atomic;
use crate::disk::File;
use crate::error::{Result, StoreError};

/// Reads a book.
///
/// # Errors
/// If there is no such file, or it is not a book of this version of the program.
pub fn read_book(path: &Path) -> Result<Book> {
    let bytes = atomic::read_bounded(path, MAX_BYTES)?;
    Book::from_bytes(&bytes).map_err(StoreError::unusable(path))
}

/// Writes a book, replacing the file. It is on disk when this returns.
///
/// # Errors
/// If the disk fails.
pub fn write_book(path: &Path, book: &Book) -> Result<()> {
    atomic::write_file(path, &book.to_bytes())
}

/// True if a file begins as a book does.
pub fn is_book(path: &Path) -> bool {
    let mut first = [0; MAGIC.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut first).is_ok()) && first == *MAGIC
}
