//! Sets the version and commit for `--version`, and lets the linker merge identical functions,
//! which generic code produces often.

use std::path::Path;
use std::process::Command;
use std::{env, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let version = variable("CARGO_PKG_VERSION");
    let version = commit().map_or(version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo:rustc-env=CROWNHEAD_VERSION={version}");
    merge_functions()
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The current commit, if these sources are under git. The build script runs again when git notes
/// another commit.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        // Cargo treats a missing file as changed.
        if Path::new(&path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=9", "HEAD"])
}

/// The output of git, if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn merge_functions() -> io::Result<()> {
    let target = variable("TARGET");
    // Rust brings its own linker there and uses it, unless configured otherwise.
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
