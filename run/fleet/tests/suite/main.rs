//! Fleets of runs and tournaments, in one process.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod absence;
mod runs;
mod tournaments;
