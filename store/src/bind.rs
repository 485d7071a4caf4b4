//! What binds a file to its run: the run's identity and a checksum.
//!
//! Documents (`state.json`, `ratings.json`, `gates/NNNNNN.json`) end with a seal, two more keys:
//!
//! ```text
//!   "run": "0123456789abcdef",
//!   "checksum": "89abcdef"
//! }
//! ```
//!
//! The checksum is CRC-32C of all bytes before its key. The identity is the one that `run.toml` states as
//! `run_id`; runs of earlier versions state none, and none of their files has a seal.

use std::fmt;
use std::num::ParseIntError;
use std::path::Path;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Result, StoreError};

/// The key of `run.toml` that states the identity.
const RUN_KEY: &str = "run_id";
/// The key of `run.toml` that states whose games a run learns from, if they are not its own.
const GAMES_KEY: &str = "games_run_id";

/// The identity of a run: a hash of its variant, its rules and its fixed settings, so that runs whose files
/// are equal by right have equal identities. Text is 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RunId(pub u64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for RunId {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<RunId, ParseIntError> {
        u64::from_str_radix(text, 16).map(RunId)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> String {
        id.to_string()
    }
}

impl TryFrom<String> for RunId {
    type Error = ParseIntError;

    fn try_from(text: String) -> Result<RunId, ParseIntError> {
        text.parse()
    }
}

impl RunId {
    /// The identity that the text of a `run.toml` states.
    pub(crate) fn of_config(text: &str) -> Option<RunId> {
        RunId::at_key(text, RUN_KEY)
    }

    /// The identity of the run whose games a run learns from, as its `run.toml` states it.
    pub(crate) fn of_games(text: &str) -> Option<RunId> {
        RunId::at_key(text, GAMES_KEY)
    }

    fn at_key(text: &str, key: &str) -> Option<RunId> {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        let value = line.trim_start().strip_prefix('=')?.trim();
        value.trim_matches('"').parse().ok()
    }
}

/// Why a file cannot be used where it is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// It belongs to another run.
    #[error("it belongs to another run: found {found}, expected {expected}")]
    Foreign {
        /// What it says.
        found: String,
        /// What it should say here.
        expected: String,
    },
    /// It is not what was written.
    #[error("it is damaged: found {found}, expected {expected}")]
    Damaged {
        /// What it says.
        found: String,
        /// What it should say.
        expected: String,
    },
    /// A newer version of the program wrote it.
    #[error(
        "it was written by a newer version of the program: found format {found}, expected at most {expected}"
    )]
    Newer {
        /// Its format.
        found: u32,
        /// The newest that this program knows.
        expected: u32,
    },
}

impl Misfit {
    /// Rejects a file that names another run than the one it is found in. A run without an identity has
    /// files without one.
    pub fn unless_run(found: Option<RunId>, expected: Option<RunId>) -> Result<(), Misfit> {
        let name = |id: Option<RunId>| {
            id.map_or_else(
                || "no identity of a run".to_owned(),
                |id| format!("run {id}"),
            )
        };
        if found == expected {
            return Ok(());
        }
        Err(Misfit::Foreign {
            found: name(found),
            expected: name(expected),
        })
    }
}

/// A document as text with its seal, if its run has an identity.
pub(crate) fn seal(path: &Path, document: &impl Serialize, run: Option<RunId>) -> Result<Vec<u8>> {
    let mut text = serde_json::to_string_pretty(document).map_err(StoreError::json(path))?;
    if let Some(run) = run
        && let Some(open) = text.strip_suffix("\n}")
    {
        text = format!("{open},\n  \"run\": \"{run}\",");
        let checksum = crc32c::crc32c(text.as_bytes());
        text.push_str(&format!("\n  \"checksum\": \"{checksum:08x}\"\n}}"));
    }
    text.push('\n');
    Ok(text.into_bytes())
}

/// The document in a text, which must belong to `run`.
pub(crate) fn unseal<T: DeserializeOwned>(
    path: &Path,
    text: &[u8],
    run: Option<RunId>,
) -> Result<T> {
    let open = opened(text, run).map_err(StoreError::misfit(path))?;
    serde_json::from_slice(&open).map_err(StoreError::json(path))
}

/// The text without its seal.
fn opened(text: &[u8], run: Option<RunId>) -> Result<Vec<u8>, Misfit> {
    let Some((sealed, checksum)) = split(text) else {
        // An object that has lost its seal; anything else never had one.
        return match run {
            Some(run) if text.ends_with(b"\n}\n") => Err(Misfit::Damaged {
                found: "no checksum at its end".to_owned(),
                expected: format!("the seal of run {run}"),
            }),
            _ => Ok(text.to_vec()),
        };
    };
    let computed = format!("{:08x}", crc32c::crc32c(sealed));
    if computed.as_bytes() != checksum {
        return Err(Misfit::Damaged {
            found: format!("checksum {}", String::from_utf8_lossy(checksum)),
            expected: computed,
        });
    }
    let (open, found) = sealed
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or((&[][..], sealed), |end| sealed.split_at(end));
    let found = String::from_utf8_lossy(found);
    let found = found.trim().strip_prefix("\"run\": \"");
    let found = found.and_then(|text| text.strip_suffix("\",")?.parse().ok());
    Misfit::unless_run(found, run)?;
    let open = open.strip_suffix(b",").unwrap_or(open);
    Ok([open, b"\n}\n"].concat())
}

/// What the checksum is about, and the checksum.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = text.strip_suffix(b"\"\n}\n")?;
    let (rest, checksum) = rest.split_at(rest.len().checked_sub(8)?);
    Some((rest.strip_suffix(b"\n  \"checksum\": \"")?, checksum))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const RUN: Option<RunId> = Some(RunId(7));

    fn read(text: &[u8], run: Option<RunId>) -> Result<Value> {
        unseal(Path::new("state.json"), text, run)
    }

    #[test]
    fn a_sealed_document_is_plain_json_and_comes_back() {
        let document = json!({"a": [1, {"b": 2}], "c": "}"});
        let text = seal(Path::new(""), &document, RUN).unwrap();
        let plain: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(plain["run"], "0000000000000007");
        assert_eq!(read(&text, RUN).unwrap(), document);
        let unsealed = seal(Path::new(""), &document, None).unwrap();
        assert_eq!(read(&unsealed, None).unwrap(), document);
        assert!(read(&unsealed, RUN).is_err());
    }

    #[test]
    fn every_flipped_bit_is_noticed_and_another_run_named() {
        let text = seal(Path::new(""), &json!({"newest": 4, "next": "train"}), RUN).unwrap();
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&bytes, RUN).is_err(), "bit {bit}");
        }
        for other in [Some(RunId(8)), None] {
            let message = read(&text, other).unwrap_err().to_string();
            assert!(
                message
                    .contains("it belongs to another run: found run 0000000000000007, expected "),
                "{message}"
            );
        }
    }

    #[test]
    fn the_configuration_states_the_identity() {
        let text = "# run_id = 1\nvariant = \"thai\"\nrun_id = \"00000000000000ff\"\n";
        assert_eq!(RunId::of_config(text), Some(RunId(255)));
        assert_eq!(RunId::of_config("seed = 1\n"), None);
        assert_eq!(RunId::of_games(text), None);
        let fork = format!("{text}games_run_id = \"000000000000000e\"\n");
        assert_eq!(RunId::of_config(&fork), Some(RunId(255)));
        assert_eq!(RunId::of_games(&fork), Some(RunId(14)));
    }

    #[test]
    fn an_identity_is_text_in_documents() {
        let id = RunId(255);
        let text = serde_json::to_string(&id).unwrap();
        assert_eq!(text, "\"00000000000000ff\"");
        assert_eq!(serde_json::from_str::<RunId>(&text).unwrap(), id);
        assert!(serde_json::from_str::<RunId>("\"xyzzy\"").is_err());
    }

    #[test]
    fn what_is_no_object_has_no_seal() {
        for document in [json!("self-play"), json!([1, 2]), json!(null)] {
            let text = seal(Path::new(""), &document, RUN).unwrap();
            assert_eq!(read(&text, RUN).unwrap(), document);
        }
    }
}
