#![no_main]

#[path = "../bodies/page.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::page(data));
