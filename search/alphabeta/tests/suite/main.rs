//! Integration tests of the search, in one program.

mod leaf;
mod minimax;
mod search;
mod support;
