//! Tests that need runs, players and files together.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod compare;
mod distillation;
mod root_values;
mod table;
