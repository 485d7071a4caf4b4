//! All tests of the rules against their specification, in one program.

#![expect(clippy::unwrap_used, reason = "a test panics when it fails")]

mod conformance;
mod fen;
mod fuzz;
mod notation;
mod outcome;
mod pdn;
mod perft;
mod properties;
mod specification;
mod support;
mod variants;
