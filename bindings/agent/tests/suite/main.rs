//! Tests of agents through the public interface, in one program.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod agents;
mod documents;
mod hostile;
mod hub;
