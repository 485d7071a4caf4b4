//! The Hub protocol from outside: dialogues, games, engines that misbehave, bytes that mean nothing.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod client;
mod fuzz;
mod games;
mod properties;
mod server;
mod support;
