//! Uploads an export with `hf`, the Hugging Face Hub's own program: its upload protocol changes,
//! and a separate client would need a TLS library.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use crate::{Result, RunError};

/// Maximum length of the name of an owner or a repository.
const MAX_NAME: usize = 96;

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
        let run = command
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output();
        let output = run.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let how =
                    "pip install huggingface_hub, then hf auth login, then repeat the command";
                failed(format!("there is no program hf ({how})"))
            }
            _ => failed(format!("hf cannot be started: {error}")),
        })?;
        if !output.status.success() {
            return Err(failed(format!("hf failed with {}", output.status)));
        }
        // Private Hubs have other addresses. In quiet mode the last line is the URL.
        let said = String::from_utf8_lossy(&output.stdout);
        let address = said.lines().map(str::trim).rfind(|line| !line.is_empty());
        Ok(address.map_or_else(|| format!("hf:{id}"), str::to_owned))
    }
}
