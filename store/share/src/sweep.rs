//! Clean-up of a shared directory after killed machines and finished generations.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Minimum age of a piece of an object whose write was abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Removes empty folders below `folder`, and pieces of objects (`NAME#1`) that are an hour old.
/// Links are not followed. It is not an error if another machine removes something meanwhile.
pub(crate) fn sweep(folder: &Path, now: SystemTime) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            sweep(&entry.path(), now)?;
            // Refused by the system unless it is empty.
            let _ = fs::remove_dir(entry.path());
        } else if kind.is_file() && is_piece(&entry.file_name().to_string_lossy()) {
            let touched = entry.metadata().and_then(|found| found.modified());
            let age = touched
                .ok()
                .and_then(|touched| now.duration_since(touched).ok());
            if age.is_some_and(|age| age >= ABANDONED) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    Ok(())
}

/// Recognizes the names that the store gives to files before they are objects.
fn is_piece(name: &str) -> bool {
    let suffix = name.split_once('#').map(|(_, suffix)| suffix);
    suffix.is_some_and(|suffix| !suffix.is_empty() && suffix.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Files and folders below a folder.
    fn below(folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                let (more_files, more_folders) = below(&path);
                files.extend(more_files);
                folders.extend(more_folders);
                folders.push(path);
            } else {
                files.push(path);
            }
        }
        files.sort();
        (files, folders)
    }

    /// Any tree keeps its objects and its young pieces, and nothing else.
    #[test]
    fn objects_stay_and_nothing_else() {
        let now = SystemTime::now();
        for seed in 0..100 {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let dir = tempfile::tempdir().unwrap();
            let mut kept = Vec::new();
            for number in 0..rng.random_range(0..30) {
                let mut folder = dir.path().to_owned();
                for _ in 0..rng.random_range(1..4) {
                    folder.push(rng.random_range(0..3).to_string());
                }
                fs::create_dir_all(&folder).unwrap();
                let (name, age_s, stays) = match rng.random_range(0..5) {
                    0 => continue,
                    1 => (format!("{number}.seg#1"), 7200, false),
                    2 => (format!("{number}.seg#23"), 60, true),
                    3 => (format!("{number}.seg#x"), 7200, true),
                    _ => (format!("{number}.seg"), 7200, true),
                };
                let file = fs::File::create(folder.join(&name)).unwrap();
                file.set_modified(now - Duration::from_secs(age_s)).unwrap();
                kept.extend(stays.then(|| folder.join(name)));
            }
            kept.sort();
            sweep(dir.path(), now).unwrap();
            let (files, folders) = below(dir.path());
            assert_eq!(files, kept, "seed {seed}");
            for folder in folders {
                assert!(!below(&folder).0.is_empty(), "seed {seed}: {folder:?}");
            }
        }
        sweep(Path::new("/no/such/folder"), now).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let mine = tempfile::tempdir().unwrap();
        let piece = mine.path().join("a#1");
        let file = fs::File::create(&piece).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        std::os::unix::fs::symlink(mine.path(), dir.path().join("link")).unwrap();
        sweep(dir.path(), SystemTime::now()).unwrap();
        assert!(piece.exists());
    }
}
