//! The server without a browser: every route, invalid input, foreign requests, limits.
#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod door;
mod games;
mod guard;
mod limits;
mod runs;
mod support;
mod think;
