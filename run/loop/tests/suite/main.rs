//! Runs from outside, in one program. `tests/simulation` is a program of
//! its own: it is run alone, with many seeds.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod curves;
mod games_and_devices;
mod opening;
mod origin;
mod stages;
