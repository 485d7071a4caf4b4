#![no_main]

#[path = "../bodies/model.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::model(data));
