//! Files and directories that appear complete or not at all.
//!
//! Everything is written under a temporary name, synced and then renamed. A process that is killed
//! leaves at most a temporary name behind, which [`remove_leftovers`] deletes. Temporary names are
//! not unique: the writer of a directory holds the run's lock.

mod file;

use std::error::Error;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use file::AtomicFile;

use crate::bind;
use crate::disk::{self, File};
use crate::error::{Result, StoreError};
use crate::ids::RunId;

const PREFIX: &str = ".tmp-";

/// Writes a file, replacing an existing one. It is on disk when this returns.
pub(crate) fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    let temporary = temporary_name(path);
    let mut file = File::create(&temporary).map_err(StoreError::io("create", &temporary))?;
    file.write_all(contents)
        .map_err(StoreError::io("write", &temporary))?;
    file.sync().map_err(StoreError::io("sync", &temporary))?;
    rename(&temporary, path)
}

/// Maximum size of a document in bytes: ratings of ten thousand generations take a tenth.
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Reads a file of at most [`MAX_DOCUMENT_BYTES`].
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    read_bounded(path, MAX_DOCUMENT_BYTES)
}

/// Reads a file of at most `limit` bytes. A larger file is not read at all.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(StoreError::io("open", path))?;
    let size = file.length().map_err(StoreError::io("read", path))?;
    let bytes = types::read_at_most(file, size, limit).map_err(StoreError::io("read", path))?;
    bytes.ok_or_else(|| StoreError::TooLarge {
        path: path.to_owned(),
        limit,
    })
}

/// Reads a file of at most `limit` bytes; `None` if there is no file.
pub(crate) fn read_existing(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    let exists = path.exists();
    exists.then(|| read_bounded(path, limit)).transpose()
}

/// Reads a JSON document outside of runs; `None` if there is no file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let text = read_existing(path, MAX_DOCUMENT_BYTES)?;
    let document = text.map(|text| serde_json::from_slice(&text));
    document.transpose().map_err(StoreError::json(path))
}

/// Writes a JSON document outside of runs, replacing an existing one.
pub(crate) fn write_json(path: &Path, document: &impl Serialize) -> Result<()> {
    let text = serde_json::to_vec_pretty(document).map_err(StoreError::json(path))?;
    write_file(path, &text)
}

/// Reads a document of a run; `None` if there is no file.
pub(crate) fn read_sealed<T: DeserializeOwned>(
    path: &Path,
    run: Option<RunId>,
) -> Result<Option<T>> {
    let text = read_existing(path, MAX_DOCUMENT_BYTES)?;
    text.map(|text| bind::unseal(path, &text, run)).transpose()
}

/// Writes a document of a run, replacing an existing one.
pub(crate) fn write_sealed(
    path: &Path,
    document: &impl Serialize,
    run: Option<RunId>,
) -> Result<()> {
    write_file(path, &bind::seal(path, document, run)?)
}

/// Creates a directory whose files `fill` writes. They are all on disk when this returns.
///
/// The name must be free, because directories cannot be replaced atomically.
pub(crate) fn create_dir<E>(path: &Path, fill: impl FnOnce(&Path) -> Result<(), E>) -> Result<()>
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    if path.exists() {
        return Err(StoreError::Exists {
            path: path.to_owned(),
        });
    }
    let temporary = temporary_name(path);
    remove_dir(&temporary)?;
    disk::create_dir(&temporary).map_err(StoreError::io("create", &temporary))?;
    fill(&temporary).map_err(|error| StoreError::Fill {
        path: path.to_owned(),
        source: error.into(),
    })?;
    sync_tree(&temporary)?;
    rename(&temporary, path)
}

/// Creates a directory and its parents, and syncs their entries.
pub(crate) fn ensure_dir(path: &Path) -> Result<()> {
    if !path.is_dir() {
        if path.parent().is_some() {
            ensure_dir(parent(path))?;
        }
        disk::create_dir_all(path).map_err(StoreError::io("create", path))?;
    }
    // The process that created it may have been killed before it synced the entry.
    sync_dir(parent(path))
}

/// Removes a directory with all its files, if it exists. It is complete under its name until it
/// disappears.
pub(crate) fn remove_dir(path: &Path) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let mut doomed = path.to_owned();
    if !file_name(path).starts_with(PREFIX) {
        doomed = temporary_name(path);
        rename(path, &doomed)?;
    }
    disk::remove_dir_all(&doomed).map_err(StoreError::io("remove", path))
}

/// Removes a file, if it exists.
pub(crate) fn remove_file(path: &Path) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    disk::remove_file(path).map_err(StoreError::io("remove", path))
}

/// Renames a file or directory and syncs the new entry.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    disk::rename(from, to).map_err(StoreError::io("rename", from))?;
    sync_dir(parent(to))
}

/// Syncs the entries of a directory.
pub(crate) fn sync_dir(path: &Path) -> Result<()> {
    disk::sync_dir(path).map_err(StoreError::io("sync", path))
}

/// Syncs the directory that a path is in.
pub(crate) fn sync_parent(path: &Path) -> Result<()> {
    sync_dir(parent(path))
}

/// Files left in a directory by interrupted writes.
pub(crate) fn leftovers(path: &Path) -> Result<Vec<PathBuf>> {
    let mut left = entries(path)?;
    left.retain(|entry| file_name(entry).starts_with(PREFIX));
    Ok(left)
}

/// Removes the files left in a directory by interrupted writes, and returns their paths.
pub(crate) fn remove_leftovers(path: &Path) -> Result<Vec<PathBuf>> {
    let left = leftovers(path)?;
    for entry in &left {
        if entry.is_dir() {
            remove_dir(entry)?;
        } else {
            remove_file(entry)?;
        }
    }
    Ok(left)
}

/// The entries of a directory, sorted by name; empty if it does not exist.
pub(crate) fn entries(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    disk::read_dir(path).map_err(StoreError::io("list", path))
}

/// The last component of a path; empty if it is not UTF-8.
pub(crate) fn file_name(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

fn sync_tree(path: &Path) -> Result<()> {
    for entry in entries(path)? {
        if entry.is_dir() {
            sync_tree(&entry)?;
        } else {
            // Windows syncs files that are open for writing, and no others.
            let mut options = OpenOptions::new();
            let options = options.read(true).write(cfg!(windows));
            let file = disk::open(&entry, options).map_err(StoreError::io("open", &entry))?;
            file.sync().map_err(StoreError::io("sync", &entry))?;
        }
    }
    sync_dir(path)
}

fn temporary_name(path: &Path) -> PathBuf {
    path.with_file_name(format!("{PREFIX}{}", file_name(path)))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_failed_fill_leaves_nothing_but_leftovers() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("000001");
        let error = create_dir(&target, |temporary| {
            fs::write(temporary.join("half"), b"x").unwrap();
            Err("disk is full")
        });
        assert!(
            error
                .unwrap_err()
                .to_string()
                .ends_with("000001: disk is full")
        );
        assert!(!target.exists());
        assert_eq!(remove_leftovers(dir.path()).unwrap().len(), 1);
        assert_eq!(entries(dir.path()).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn files_are_replaced_and_directories_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let (file, tree) = (dir.path().join("champion"), dir.path().join("state"));
        for text in ["000001\n", "2\n"] {
            write_file(&file, text.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "2\n");
        create_dir(&tree, |temporary| fs::write(temporary.join("a"), "first")).unwrap();
        let again = create_dir(&tree, |temporary| fs::write(temporary.join("a"), "second"));
        assert!(matches!(again, Err(StoreError::Exists { .. })));
        assert_eq!(fs::read_to_string(tree.join("a")).unwrap(), "first");
        assert_eq!(remove_leftovers(dir.path()).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_name_alone_is_in_the_directory_where_the_program_runs() {
        assert_eq!(parent(Path::new("run")), Path::new("."));
        assert_eq!(parent(Path::new("runs/a")), Path::new("runs"));
        assert_eq!(parent(Path::new("/")), Path::new("."));
    }

    #[test]
    fn what_is_larger_than_its_limit_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        let file = fs::File::create(&path).unwrap();
        let is_too_large = || matches!(read(&path), Err(StoreError::TooLarge { .. }));
        file.set_len(MAX_DOCUMENT_BYTES).unwrap();
        assert!(!is_too_large());
        for length in [MAX_DOCUMENT_BYTES + 1, 1 << 40] {
            file.set_len(length).unwrap();
            assert!(is_too_large());
        }
    }
}
