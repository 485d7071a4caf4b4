//! Tests of the public interface, in one program.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod endgames;
mod fixture;
mod fuzz;
mod games;
mod kill;
mod power;
mod record;
mod run_dir;
mod support;
mod upkeep;
mod window;
