//! Opening files that may not be files.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
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

/// Reads a file of `size` bytes; `None` if it has more than `limit`. A larger file is not read, and
/// one that grows meanwhile only up to the limit.
///
/// # Errors
/// The system's.
pub fn read_at_most(file: impl Read, size: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    if size > limit {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Refuses anything but a regular file, as [`open_file`] does. A missing file passes.
///
/// # Errors
/// As [`open_file`].
pub fn check_file(path: &Path) -> io::Result<()> {
    if cfg!(windows) && is_device_of_windows(path) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "Windows reserves this name for a device: choose another one",
        ));
    }
    match fs::metadata(path).map(|found| found.file_type()) {
        Ok(found) if !found.is_file() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is {}, not a file", name_of(found)),
        )),
        _ => Ok(()),
    }
}

/// Returns `true` for names such as `NUL` and `aux.pdn`, which Windows takes for devices in every
/// folder and with any extension.
fn is_device_of_windows(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_uppercase();
    let name = name
        .split(['.', ':'])
        .next()
        .unwrap_or_default()
        .trim_end_matches(' ');
    match name {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" => true,
        _ => ["COM", "LPT"].iter().any(|port| {
            let number = name.strip_prefix(port).unwrap_or_default();
            let mut digits = number.chars();
            matches!(
                (digits.next(), digits.next()),
                (Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'), None)
            )
        }),
    }
}

/// The path with `/` between its parts on every system, as files name it.
pub fn portable_path(path: &Path) -> String {
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_known() {
        for name in [
            "NUL",
            "nul",
            "con",
            "runs/aux.pdn",
            "COM1",
            "lpt9.tar.gz",
            "prn .txt",
            "com\u{b2}",
            "nul:",
            "CONOUT$",
        ] {
            assert!(is_device_of_windows(Path::new(name)), "{name}");
        }
        for name in [
            "null",
            "console",
            "COM",
            "com10",
            "aux/games.pdn",
            "a.nul",
            "",
        ] {
            assert!(!is_device_of_windows(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn nothing_longer_than_the_limit_is_read() {
        let read = |size, limit| read_at_most(&b"games"[..], size, limit).unwrap();
        assert_eq!(read(5, 5).unwrap(), b"games");
        // The file has grown, or has become shorter.
        assert_eq!((read(2, 5), read(2, 4)), (Some(b"games".to_vec()), None));
        assert_eq!(read(6, 5), None);
    }

    #[test]
    fn names_in_files_have_slashes() {
        let path: std::path::PathBuf = ["models", "000001", "model.json"].iter().collect();
        assert_eq!(portable_path(&path), "models/000001/model.json");
    }

    #[cfg(unix)]
    #[test]
    fn only_files_are_opened() {
        use std::os::unix::net::UnixListener;
        use std::process::Command;

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
