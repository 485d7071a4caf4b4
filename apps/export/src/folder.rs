//! The folder of an export.
//!
//! A list in the folder names the files of the export. Only these are ever replaced or removed: the
//! user's own files stay. Links are not followed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path};

use store::{AtomicFile, StoreError};

use crate::{RequestError, Result};

/// The list of an export's files, a line each.
const LIST: &str = ".crownhead-export";
/// Bytes of a sign or a list at most.
const MAX_BYTES: u64 = 64 << 20;

/// The file by which a folder is known to hold an export of a version that wrote no list.
pub(crate) struct Sign<'a> {
    /// Its path in the folder.
    pub(crate) path: &'a str,
    /// Tells such a file from another one with the same name.
    pub(crate) is_one: fn(&[u8]) -> bool,
    /// The files that such an export has.
    pub(crate) files: &'a [&'a str],
}

/// Writes the files of an export, each a path below the folder and its bytes. The folder is made if
/// it is not there; in one with an earlier export, the files of that are replaced or removed.
/// An export that is cut short can be made again.
///
/// # Errors
/// When the folder holds something else than `what`, another file has the name of a new one, a link
/// is in the way, or the disk refuses. Only then something may have been written.
pub(crate) fn write(
    folder: &Path,
    what: &str,
    sign: &Sign<'_>,
    files: &[(impl AsRef<str>, impl AsRef<[u8]>)],
) -> Result<()> {
    if folder.is_file() {
        let message = format!("{} is a file: name a new folder", folder.display());
        return Err(RequestError(message).into());
    }
    fs::create_dir_all(folder).map_err(StoreError::io("write to the folder", folder))?;
    let earlier = earlier(folder, what, sign)?;
    let names = files.iter().map(|(name, _)| name.as_ref());
    let new: BTreeSet<String> = names.map(str::to_owned).collect();
    for name in new.union(&earlier) {
        check(folder, name, earlier.contains(name))?;
    }
    write_list(folder, new.union(&earlier))?;
    for name in earlier.difference(&new) {
        let path = folder.join(name);
        if path.exists() {
            fs::remove_file(&path).map_err(StoreError::io("replace", &path))?;
        }
    }
    for (name, bytes) in files {
        write_file(&folder.join(name.as_ref()), bytes.as_ref())?;
    }
    write_list(folder, new.iter())
}

/// The files of the export that the folder holds; none where it is empty.
fn earlier(folder: &Path, what: &str, sign: &Sign<'_>) -> Result<BTreeSet<String>> {
    let list = folder.join(LIST);
    if list.exists() {
        let bytes = store::read_bounded(&list, MAX_BYTES)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        return Ok(text
            .lines()
            .filter(|name| is_plain(name))
            .map(str::to_owned)
            .collect());
    }
    let mut entries = fs::read_dir(folder).map_err(StoreError::io("list", folder))?;
    let text = store::read_bounded(&folder.join(sign.path), MAX_BYTES);
    if text.is_ok_and(|text| (sign.is_one)(&text)) {
        return Ok(sign.files.iter().map(|&name| name.to_owned()).collect());
    }
    match entries.next() {
        None => Ok(BTreeSet::new()),
        Some(_) => Err(RequestError(format!(
            "{} contains something other than {what}: choose a new folder",
            folder.display()
        ))
        .into()),
    }
}

/// Tells names of files in the folder from paths that lead elsewhere.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Refuses links on the way to a file, and a file that is no part of the earlier export.
fn check(folder: &Path, name: &str, is_earlier: bool) -> Result<()> {
    let mut path = folder.to_owned();
    for part in Path::new(name).components() {
        path.push(part);
        let Ok(found) = path.symlink_metadata() else {
            return Ok(());
        };
        let fault = if found.is_symlink() {
            "is a link, which an export does not follow: remove it"
        } else if path != folder.join(name) || is_earlier && found.is_file() {
            continue;
        } else {
            "is not a file of an earlier export: move it away"
        };
        let message = format!("{} {fault}, or choose a new folder", path.display());
        return Err(RequestError(message).into());
    }
    Ok(())
}

fn write_list<'a>(folder: &Path, names: impl Iterator<Item = &'a String>) -> Result<()> {
    let text: String = names.map(|name| format!("{name}\n")).collect();
    write_file(&folder.join(LIST), text.as_bytes())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(StoreError::io("write to the folder", parent))?;
    }
    Ok(AtomicFile::write_whole(path, bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &[u8]); 3] = [
        ("assets/one", b"1"),
        ("assets/sign", b"ours"),
        ("card", b"c"),
    ];

    fn write_in(folder: &Path, files: &[(&str, &[u8])]) -> Result<()> {
        let sign = Sign {
            path: "assets/sign",
            is_one: |text| text == b"ours",
            files: &["assets/old", "assets/sign", "card"],
        };
        write(folder, "an export", &sign, files)
    }

    /// The files below a folder.
    fn files(folder: &Path) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() && !path.is_symlink() {
                    true => folders.push(path),
                    false => names.push(path.strip_prefix(folder).unwrap().display().to_string()),
                }
            }
        }
        names.sort();
        names
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("games.pdn");
        fs::write(&path, "mine").unwrap();
        let error = write_in(&path, &FILES).unwrap_err().to_string();
        assert!(
            error.ends_with("games.pdn is a file: name a new folder"),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }

    #[test]
    fn an_earlier_export_is_replaced_and_what_a_user_added_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        write_in(&folder, &FILES).unwrap();
        for name in ["assets/mine", "notes"] {
            fs::write(folder.join(name), "mine").unwrap();
        }
        let next: [(&str, &[u8]); 2] = [("assets/sign", b"ours"), ("assets/two", b"2")];
        // The second time finds what the first has written.
        for _ in 0..2 {
            write_in(&folder, &next).unwrap();
            let all = [LIST, "assets/mine", "assets/sign", "assets/two", "notes"];
            assert_eq!(files(&folder), all);
        }
    }

    #[test]
    fn an_export_without_a_list_is_known_by_its_sign() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        fs::create_dir(folder.join("assets")).unwrap();
        for name in ["assets/old", "assets/mine", "assets/sign", "card"] {
            fs::write(folder.join(name), "ours").unwrap();
        }
        write_in(folder, &FILES[1..]).unwrap();
        assert_eq!(files(folder), [LIST, "assets/mine", "assets/sign", "card"]);
    }

    #[test]
    fn files_of_others_are_left_alone() {
        for name in ["card", "assets/sign", "assets/one"] {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join("assets")).unwrap();
            fs::write(dir.path().join(name), "mine").unwrap();
            let message = write_in(dir.path(), &FILES).unwrap_err().to_string();
            assert!(
                message.contains("something other than an export"),
                "{message}"
            );
            assert_eq!(files(dir.path()), [name]);
        }
        // The same in a folder with an export that has no such file.
        let dir = tempfile::tempdir().unwrap();
        write_in(dir.path(), &FILES[1..]).unwrap();
        fs::write(dir.path().join("assets/one"), "mine").unwrap();
        let message = write_in(dir.path(), &FILES).unwrap_err().to_string();
        assert!(
            message.contains("is not a file of an earlier export"),
            "{message}"
        );
        assert_eq!(fs::read(dir.path().join("assets/one")).unwrap(), b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;

        let dir = tempfile::tempdir().unwrap();
        let [mine, page] = ["mine", "page"].map(|name| dir.path().join(name));
        fs::create_dir(&mine).unwrap();
        fs::write(mine.join("one"), "mine").unwrap();
        write_in(&page, &FILES).unwrap();
        fs::remove_dir_all(page.join("assets")).unwrap();
        symlink(&mine, page.join("assets")).unwrap();
        let message = write_in(&page, &FILES[2..]).unwrap_err().to_string();
        assert!(message.contains("assets is a link"), "{message}");
        fs::remove_file(page.join("assets")).unwrap();
        fs::remove_file(page.join("card")).unwrap();
        symlink(mine.join("one"), page.join("card")).unwrap();
        let message = write_in(&page, &FILES).unwrap_err().to_string();
        assert!(message.contains("card is a link"), "{message}");
        assert_eq!(files(&mine), ["one"]);
        assert_eq!(fs::read(mine.join("one")).unwrap(), b"mine");
    }

    #[test]
    fn a_list_names_files_of_the_folder_alone() {
        let dir = tempfile::tempdir().unwrap();
        let page = dir.path().join("page");
        write_in(&page, &FILES).unwrap();
        fs::write(dir.path().join("mine"), "mine").unwrap();
        let outside = dir.path().join("mine").display().to_string();
        fs::write(page.join(LIST), format!("../mine\n{outside}\ncard\n")).unwrap();
        write_in(&page, &FILES[2..]).unwrap();
        assert!(dir.path().join("mine").is_file());
    }
}
