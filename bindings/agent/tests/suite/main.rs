//! The agents as front ends use them, in one program.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod agents;
mod documents;
mod hostile;
mod hub;
