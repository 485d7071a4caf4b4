//! Tests of the program from outside, in one binary.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

#[cfg(unix)]
mod book;
mod contract;
mod data;
mod distill;
mod endgame;
mod export;
mod faults;
mod fixtures;
mod fleet;
mod hostile;
mod hub;
mod integrity;
mod limits;
mod matches;
mod portable;
mod rate;
mod signature;
mod tournament;
mod train;

/// Copies a directory.
#[cfg(unix)]
pub(crate) fn copy(from: &std::path::Path, to: &std::path::Path) {
    use std::fs;

    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(fs::copy(path, to).unwrap()),
        }
    }
}
