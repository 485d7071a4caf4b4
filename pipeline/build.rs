//! Compresses the WebAssembly modules that exported pages get: as they are they would be a tenth of the program.

use std::path::Path;
use std::{env, fs, io};

use miniz_oxide::deflate::{CompressionLevel, compress_to_vec};

fn main() -> io::Result<()> {
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    for name in ["crownhead.wasm", "crownhead-scalar.wasm"] {
        let module = Path::new("../bindings/web/js").join(name);
        println!("cargo:rerun-if-changed={}", module.display());
        let bytes = compress_to_vec(&fs::read(&module)?, CompressionLevel::BestCompression as u8);
        fs::write(Path::new(&out).join(name).with_extension("deflate"), bytes)?;
    }
    Ok(())
}
