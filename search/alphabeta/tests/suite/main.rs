//! Integration tests of the search, in one program.

mod minimax;
mod search;
mod support;
