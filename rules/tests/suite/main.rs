//! Integration tests of the rules, in one program.

#![expect(clippy::unwrap_used, reason = "a test panics when it fails")]

mod cards;
mod conformance;
mod dialects;
mod fen;
mod fuzz;
mod habits;
mod lists;
mod notation;
mod outcome;
mod pdn;
mod perft;
mod properties;
mod real_pdn;
mod sets;
mod specification;
mod support;
mod variants;
