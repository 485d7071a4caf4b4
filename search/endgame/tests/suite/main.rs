//! Integration tests of the databases, in one program.

#![expect(clippy::unwrap_used, reason = "a test panics when it fails")]

mod database;
mod format;
mod hostile;
mod known;
mod settled;
mod support;
