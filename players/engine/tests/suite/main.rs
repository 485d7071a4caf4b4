//! Integration tests of both protocols, in one program.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod dxp;
mod hub;
