//! Compresses the WebAssembly modules that exported pages get: as they are they would be a tenth of the program.
//! Most of one is in the other too, so they are compressed as one piece.

use std::path::Path;
use std::{env, fs, io};

/// The highest of zstd's usual levels.
const LEVEL: i32 = 19;

fn main() -> io::Result<()> {
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut modules = Vec::new();
    for name in ["crownhead.wasm", "crownhead-scalar.wasm"] {
        let path = Path::new("../../bindings/web/js").join(name);
        println!("cargo:rerun-if-changed={}", path.display());
        let module = fs::read(&path)?;
        modules.extend((module.len() as u64).to_le_bytes());
        modules.extend(module);
    }
    let compressed = zstd::bulk::compress(&modules, LEVEL)?;
    fs::write(Path::new(&out).join("modules.zst"), compressed)
}
