#![no_main]

#[path = "../bodies/endgame.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::endgame(data));
