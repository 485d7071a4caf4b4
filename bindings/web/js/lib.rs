//! The library for JavaScript in this folder, as part of the program, for pages that it exports.
//!
//! A crate of its own, because a package contains only its own folder.

/// The library.
pub const LIBRARY: &[u8] = include_bytes!("crownhead.js");
/// Its worker.
pub const WORKER: &[u8] = include_bytes!("worker.js");

/// The WebAssembly modules, in the order in which `build.rs` has packed them.
const MODULES: [&str; 2] = ["crownhead.wasm", "crownhead-scalar.wasm"];
/// Each module preceded by its length in eight bytes, little-endian.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/modules.zst"));

/// The WebAssembly modules, as built by `scripts/build_web.sh`, with their names.
pub fn modules() -> [(&'static str, Vec<u8>); 2] {
    let unpacked = zstd::decode_all(PACKED).expect("build.rs has compressed it");
    let mut rest = &unpacked[..];
    MODULES.map(|name| {
        let (length, after) = rest.split_first_chunk().expect("build.rs wrote a length");
        let (module, after) = after.split_at(u64::from_le_bytes(*length) as usize);
        rest = after;
        (name, module.to_vec())
    })
}
