//! `cargo +nightly fuzz run segment`
#![no_main]

#[path = "../bodies.rs"]
#[expect(dead_code, reason = "each target uses one of them")]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::segment(bytes));
