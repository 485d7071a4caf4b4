//! Asks the linker to make one function of those with the same code: generic code has many.

use std::path::Path;
use std::process::Command;
use std::{env, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name| env::var(name).unwrap_or_default();
    let target = variable("TARGET");
    // There Rust brings its linker along and uses it, unless it was built otherwise or is told to use another one.
    let is_usual = target == "x86_64-unknown-linux-gnu"
        && !variable("CARGO_ENCODED_RUSTFLAGS").contains("link")
        && env::var_os("RUSTC_LINKER").is_none();
    let asked = Command::new(variable("RUSTC"))
        .args(["--print", "sysroot"])
        .output()?;
    let sysroot = String::from_utf8_lossy(&asked.stdout);
    let linker = format!("{}/lib/rustlib/{target}/bin/gcc-ld/ld.lld", sysroot.trim());
    if is_usual && Path::new(&linker).is_file() {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
    Ok(())
}
