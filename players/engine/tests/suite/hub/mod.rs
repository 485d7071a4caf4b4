//! The Hub protocol from outside: dialogues, games, misbehaving engines, random bytes.

mod client;
mod fuzz;
mod games;
mod properties;
mod server;
mod support;
