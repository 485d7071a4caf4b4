//! The documents against the program: generated pages and commands.

mod commands;
mod reference;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All documents below a folder.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of documents") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|name| name == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}
