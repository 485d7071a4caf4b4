//! Tests of the program from outside, in one binary.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

#[cfg(unix)]
mod book;
mod contract;
mod data;
mod distill;
mod endgame;
mod export;
mod faults;
mod fixtures;
mod fleet;
mod hostile;
mod hub;
mod integrity;
mod limits;
mod matches;
mod portable;
mod rate;
mod signature;
mod tournament;
mod train;
