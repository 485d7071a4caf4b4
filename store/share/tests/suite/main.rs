//! Shares and schedules of fleets, in one program.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod busy;
mod objects;
mod schedules;
mod support;
