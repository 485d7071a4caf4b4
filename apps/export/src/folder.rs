//! The folder of an export.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use store::{AtomicFile, StoreError};

use crate::{RequestError, Result};

/// Maximum size of a marker file in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The marker file that identifies a folder as an export.
pub(crate) struct Sign<'a> {
    /// Its path in the folder.
    pub(crate) path: &'a str,
    /// Its content.
    pub(crate) contents: &'a [u8],
    /// Checks whether the content of a file with this name is such a marker: other files may have
    /// the same name.
    pub(crate) is_one: fn(&[u8]) -> bool,
}

/// Creates the folder, or removes the files `names` of an earlier export from it; other files stay.
/// The marker is written first and exists at all times: an interrupted export can be repeated.
///
/// # Errors
/// If the folder holds something else than an export, which is left unchanged, or the disk fails.
pub(crate) fn begin(folder: &Path, what: &str, names: &[&str], sign: &Sign<'_>) -> Result<()> {
    fs::create_dir_all(folder).map_err(StoreError::io("write to the folder", folder))?;
    let place = folder.join(sign.path);
    let is_export =
        || store::read_bounded(&place, MAX_BYTES).is_ok_and(|text| (sign.is_one)(&text));
    if !entries(folder)?.is_empty() && !is_export() {
        return Err(RequestError(format!(
            "{} contains something other than {what}: choose a new folder",
            folder.display()
        ))
        .into());
    }
    let parent = place.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(StoreError::io("write to the folder", parent))?;
    let mut file = AtomicFile::create(&place)?;
    file.write_all(sign.contents)
        .map_err(StoreError::io("write", &place))?;
    file.finish()?;
    let paths = names.iter().map(|name| folder.join(name));
    let mut found = paths.filter(|path| path.exists());
    found.try_for_each(|path| remove(&path, &place))
}

/// Removes a file, or a folder except the files to keep.
fn remove(path: &Path, kept: &Path) -> Result<()> {
    if path == kept {
        return Ok(());
    }
    if kept.starts_with(path) {
        return entries(path)?
            .iter()
            .try_for_each(|name| remove(&path.join(name), kept));
    }
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    Ok(removed.map_err(StoreError::io("replace", path))?)
}

/// The names in a folder.
fn entries(folder: &Path) -> Result<Vec<String>> {
    let error = || StoreError::io("list", folder);
    let entries = fs::read_dir(folder).map_err(error())?;
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.map(|entry| entry.file_name().to_string_lossy().into_owned())
    };
    Ok(entries
        .map(name)
        .collect::<Result<_, _>>()
        .map_err(error())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["assets", "card", "sign"];

    fn files(folder: &Path) -> Vec<String> {
        let mut names = entries(folder).unwrap();
        names.sort();
        names
    }

    fn begin_in(folder: &Path, path: &str) -> Result<()> {
        let sign = Sign {
            path,
            contents: b"ours",
            is_one: |text| text == b"ours",
        };
        begin(folder, "an export", &NAMES, &sign)
    }

    #[test]
    fn an_earlier_export_goes_and_can_be_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        begin_in(&folder, "sign").unwrap();
        fs::create_dir(folder.join("assets")).unwrap();
        for name in ["assets/old", "card", "notes"] {
            fs::write(folder.join(name), "").unwrap();
        }
        // The second time, the first export was interrupted.
        for _ in 0..2 {
            begin_in(&folder, "sign").unwrap();
            assert_eq!(files(&folder), ["notes", "sign"]);
        }
    }

    #[test]
    fn a_sign_in_a_folder_stays_when_the_folder_is_emptied() {
        let dir = tempfile::tempdir().unwrap();
        begin_in(dir.path(), "assets/sign").unwrap();
        fs::write(dir.path().join("assets/old"), "").unwrap();
        begin_in(dir.path(), "assets/sign").unwrap();
        assert_eq!(files(&dir.path().join("assets")), ["sign"]);
    }

    #[test]
    fn what_is_no_export_is_left_alone() {
        for name in ["card", "sign"] {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join(name);
            fs::write(&file, "mine").unwrap();
            let message = begin_in(dir.path(), "sign").unwrap_err().to_string();
            assert!(
                message.contains("something other than an export"),
                "{message}"
            );
            assert_eq!(fs::read(&file).unwrap(), b"mine");
            assert_eq!(files(dir.path()), [name]);
        }
    }
}
