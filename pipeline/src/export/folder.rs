//! The folder of an export.

use std::fs;
use std::path::Path;

use store::StoreError;

use crate::{RequestError, Result};

/// Makes the folder, or removes what an earlier export left in it, of which every file or folder has one of these
/// `names`. The `sign`, a path and its contents, without which it is none, is written first and stays: an export that
/// is cut short can be made again. Names that begin with a dot are other programs' and stay too.
///
/// # Errors
/// When the folder holds anything else, or the disk refuses. Nothing has been touched in the former case.
pub(super) fn begin(folder: &Path, what: &str, names: &[&str], sign: (&str, &[u8])) -> Result<()> {
    fs::create_dir_all(folder).map_err(StoreError::io("write to the folder", folder))?;
    let found = entries(folder)?;
    let found: Vec<&String> = found.iter().filter(|name| !name.starts_with('.')).collect();
    let place = folder.join(sign.0);
    let other = found.iter().find(|name| !names.contains(&name.as_str()));
    if other.is_some() || !(found.is_empty() || place.is_file()) {
        let name = other.map_or(String::new(), |name| format!(", {name}"));
        return Err(RequestError(format!(
            "{} holds something else than {what}{name}: choose a new folder",
            folder.display()
        ))
        .into());
    }
    let parent = place.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(StoreError::io("write to the folder", parent))?;
    fs::write(&place, sign.1).map_err(StoreError::io("write", &place))?;
    found
        .iter()
        .try_for_each(|name| remove(&folder.join(name), &place))
}

/// Removes a file, or a folder but for what is to be kept.
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

    fn begin_in(folder: &Path) -> Result<()> {
        begin(folder, "an export", &NAMES, ("sign", b"new"))
    }

    #[test]
    fn an_earlier_export_goes_and_can_be_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        begin_in(&folder).unwrap();
        fs::create_dir(folder.join("assets")).unwrap();
        for name in ["assets/old", "card", ".git"] {
            fs::write(folder.join(name), "").unwrap();
        }
        // The second time the first was cut short.
        for _ in 0..2 {
            begin_in(&folder).unwrap();
            assert_eq!(files(&folder), [".git", "sign"]);
        }
    }

    #[test]
    fn a_sign_in_a_folder_stays_when_the_folder_is_emptied() {
        let dir = tempfile::tempdir().unwrap();
        let sign = ("assets/sign", &b"new"[..]);
        begin(dir.path(), "a page", &NAMES, sign).unwrap();
        fs::write(dir.path().join("assets/old"), "").unwrap();
        begin(dir.path(), "a page", &NAMES, sign).unwrap();
        assert_eq!(files(&dir.path().join("assets")), ["sign"]);
    }

    #[test]
    fn what_is_no_export_is_left_alone() {
        for name in ["card", "notes"] {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(name), "mine").unwrap();
            if name == "notes" {
                fs::write(dir.path().join("sign"), "old").unwrap();
            }
            let before = files(dir.path());
            let message = begin_in(dir.path()).unwrap_err().to_string();
            assert!(
                message.contains("something else than an export"),
                "{message}"
            );
            assert_eq!(message.contains("notes"), name == "notes", "{message}");
            assert_eq!(files(dir.path()), before);
        }
    }
}
