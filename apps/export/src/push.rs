//! Uploads an export with `hf`, the Hugging Face Hub's own program: its upload protocol changes,
//! and a separate client would need a TLS library.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Result, RunError};

/// Maximum length of the name of an owner or a repository.
const MAX_NAME: usize = 96;
/// Bytes that are kept of each output of `hf`, the last ones.
const MAX_OUTPUT: usize = 4 << 10;
/// Time for an upload, whatever its size.
const PATIENCE: Duration = Duration::from_secs(600);
/// Bytes a second of the slowest upload that is waited for.
const SLOWEST: u64 = 50_000;

/// A model repository on the Hugging Face Hub, `hf:OWNER/NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubRepository(String);

impl FromStr for HubRepository {
    type Err = String;

    fn from_str(text: &str) -> Result<HubRepository, String> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let is_name = |name: &str| {
            let is_word = name.starts_with(|first: char| first.is_ascii_alphanumeric())
                && name.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_');
            is_word && name.len() <= MAX_NAME && name.chars().all(is_letter)
        };
        let id = text.strip_prefix("hf:");
        let id = id.filter(|id| {
            let names = id.split_once('/');
            names.is_some_and(|(owner, name)| is_name(owner) && is_name(name))
        });
        let wrong = || format!("`{text}` is not a place to upload to: write hf:OWNER/NAME");
        Ok(HubRepository(id.ok_or_else(wrong)?.to_owned()))
    }
}

impl HubRepository {
    /// Uploads these files of a folder, and no others. Returns the URL reported by `hf`.
    ///
    /// # Errors
    /// If there is no `hf`, or it fails.
    pub fn push(&self, folder: &Path, files: &[&str], is_private: bool) -> Result<String> {
        let HubRepository(id) = self;
        let failed = |why: String| {
            RunError::Missing(format!(
                "the export is written, but was not uploaded: {why}"
            ))
        };
        // A name that starts with a hyphen would be an option.
        let folder = std::path::absolute(folder).map_err(|error| failed(error.to_string()))?;
        let mut command = Command::new("hf");
        command.arg("upload").arg(id).arg(&folder).arg(".");
        command.args(["--repo-type", "model", "--quiet"]);
        command.args(["--commit-message", "Export of Crownhead"]);
        if is_private {
            command.arg("--private");
        }
        for file in files {
            command.args(["--include", file]);
        }
        let sizes = files.iter().map(|file| folder.join(file).metadata());
        let bytes: u64 = sizes.flatten().map(|found| found.len()).sum();
        let patience = PATIENCE + Duration::from_secs(bytes / SLOWEST);
        let address = upload(&mut command, patience).map_err(failed)?;
        Ok(address.unwrap_or_else(|| format!("hf:{id}")))
    }
}

/// Runs `hf`, and returns the URL that it reports, or the reason why it failed.
fn upload(hf: &mut Command, patience: Duration) -> Result<Option<String>, String> {
    let ended = Ended::within(hf, patience).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let how = "pip install huggingface_hub, then hf auth login, then repeat the command";
            format!("there is no program hf ({how})")
        }
        _ => format!("hf cannot be started: {error}"),
    })?;
    let errors = ended.errors;
    match ended.status {
        None => {
            let minutes = patience.as_secs().div_ceil(60);
            Err(format!("hf did not end within {minutes} minutes. {errors}"))
        }
        Some(status) if !status.success() => Err(format!("hf failed with {status}. {errors}")),
        // Private Hubs have other addresses. In quiet mode the last line is the URL.
        Some(_) => {
            let mut lines = ended.text.lines().map(str::trim);
            Ok(lines.rfind(|line| !line.is_empty()).map(str::to_owned))
        }
    }
}

/// A program that has ended, or was ended.
struct Ended {
    /// None if it took too long.
    status: Option<ExitStatus>,
    /// The end of its standard output.
    text: String,
    /// The end of its standard error.
    errors: String,
}

impl Ended {
    /// Runs a command, and kills it when its time is over.
    fn within(command: &mut Command, patience: Duration) -> io::Result<Ended> {
        let command = command.stdin(Stdio::null());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (text, errors) = (end_of(child.stdout.take()), end_of(child.stderr.take()));
        let begun = Instant::now();
        let mut status = child.try_wait()?;
        while status.is_none() && begun.elapsed() < patience {
            thread::sleep(Duration::from_millis(50));
            status = child.try_wait()?;
        }
        if status.is_none() {
            child.kill()?;
            child.wait()?;
        }
        // What it has started may keep its outputs open.
        let taken = |end: mpsc::Receiver<String>| {
            end.recv_timeout(Duration::from_secs(1)).unwrap_or_default()
        };
        Ok(Ended {
            status,
            text: taken(text),
            errors: taken(errors),
        })
    }
}

/// Reads a stream to its end on a thread of its own. The last bytes come when it has ended.
fn end_of(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let (mut end, mut buffer) = (Vec::new(), [0; MAX_OUTPUT]);
        if let Some(mut stream) = stream {
            while let Ok(n @ 1..) = stream.read(&mut buffer) {
                end.extend_from_slice(&buffer[..n]);
                end.drain(..end.len().saturating_sub(MAX_OUTPUT));
            }
        }
        let text = String::from_utf8_lossy(&end).trim().to_owned();
        // The receiver may have given up.
        let _ = sender.send(text);
    });
    receiver
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, patience: Duration) -> Ended {
        let ended = Ended::within(Command::new("sh").args(["-c", script]), patience);
        ended.expect("sh runs")
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let begun = Instant::now();
        let ended = sh("echo words >&2; exec sleep 60", Duration::from_millis(300));
        assert!(ended.status.is_none() && ended.errors == "words");
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn an_upload_that_hangs_is_an_error_with_its_reason() {
        let mut hf = Command::new("sh");
        hf.args(["-c", "echo asking for a password >&2; exec sleep 60"]);
        let error = upload(&mut hf, Duration::from_secs(1));
        let expected = "hf did not end within 1 minutes. asking for a password";
        assert_eq!(error, Err(expected.to_owned()));
    }

    #[test]
    fn the_end_of_what_a_program_says_is_kept() {
        let ended = sh(
            "head -c 300000 /dev/zero | tr '\\0' x; echo; echo last; exit 3",
            Duration::from_secs(60),
        );
        assert_eq!(ended.status.and_then(|status| status.code()), Some(3));
        assert!(ended.text.ends_with("x\nlast") && ended.text.len() < MAX_OUTPUT);
        assert_eq!(ended.errors, "");
    }
}
