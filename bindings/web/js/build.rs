//! Compresses the WebAssembly modules for exported pages: uncompressed they would be a tenth of the
//! program. The two modules share most of their content, so they are compressed together.

use std::path::Path;
use std::{env, fs, io};

/// The highest of zstd's regular levels.
const LEVEL: i32 = 19;

fn main() -> io::Result<()> {
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut modules = Vec::new();
    for name in ["crownhead.wasm", "crownhead-scalar.wasm"] {
        println!("cargo:rerun-if-changed={name}");
        let module = fs::read(name)?;
        modules.extend((module.len() as u64).to_le_bytes());
        modules.extend(module);
    }
    let compressed = zstd::bulk::compress(&modules, LEVEL)?;
    fs::write(Path::new(&out).join("modules.zst"), compressed)
}
