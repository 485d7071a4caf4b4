//! Opening files that may not be files.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file and refuses anything else: opening a FIFO waits for its other end, reading
/// a device may never end, and a directory fails only when it is read. The check comes first, since
/// opening a device can already have an effect.
///
/// # Errors
/// The system's, and [`io::ErrorKind::InvalidInput`] for anything but a file.
pub fn open_file(path: &Path, options: &OpenOptions) -> io::Result<File> {
    check_file(path)?;
    options.open(path)
}

/// Refuses anything but a regular file, as [`open_file`] does. A missing file passes.
///
/// # Errors
/// As [`open_file`].
pub fn check_file(path: &Path) -> io::Result<()> {
    match fs::metadata(path).map(|found| found.file_type()) {
        Ok(found) if !found.is_file() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is {}, not a file", name_of(found)),
        )),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn name_of(found: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;

    if found.is_dir() {
        "a directory"
    } else if found.is_fifo() {
        "a pipe"
    } else if found.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn name_of(found: FileType) -> &'static str {
    match found.is_dir() {
        true => "a directory",
        false => "something else",
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let [file, fifo, socket, link] =
            ["file", "fifo", "socket", "link"].map(|name| dir.path().join(name));
        fs::write(&file, "text").unwrap();
        let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        let _listener = UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&fifo, &link).unwrap();
        let open = |path: &Path| open_file(path, OpenOptions::new().read(true));
        open(&file).unwrap();
        for (path, what) in [
            (dir.path(), "a directory"),
            (&fifo, "a pipe"),
            (&link, "a pipe"),
            (&socket, "a socket"),
            (Path::new("/dev/zero"), "a device"),
        ] {
            let error = open(path).unwrap_err();
            assert_eq!(error.to_string(), format!("it is {what}, not a file"));
        }
        let missing = open(&dir.path().join("none")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
