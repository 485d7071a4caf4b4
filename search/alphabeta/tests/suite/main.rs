//! The search from outside, in one program.

mod minimax;
mod search;
mod support;
