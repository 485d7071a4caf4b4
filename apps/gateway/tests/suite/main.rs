//! The gateway from outside.
#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod program;
mod server;
