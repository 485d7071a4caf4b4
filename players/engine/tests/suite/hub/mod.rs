//! The Hub protocol from outside: dialogues, games, engines that misbehave, bytes that mean nothing.

mod client;
mod fuzz;
mod games;
mod properties;
mod server;
mod support;
