//! The seal that binds a document to its run: the run's identity and a checksum.
//!
//! Documents (`state.json`, `ratings.json`, `gates/NNNNNN.json`) end with a seal, two more keys:
//!
//! ```text
//!   "run": "0123456789abcdef",
//!   "checksum": "89abcdef"
//! }
//! ```
//!
//! The checksum is the CRC-32C of all bytes before its key. The identity is `run_id` of `run.toml`;
//! runs of earlier versions have none, and none of their files has a seal.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Misfit, Result, StoreError};
use crate::ids::RunId;

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

/// Parses a document, which must belong to `run`.
pub(crate) fn unseal<T: DeserializeOwned>(
    path: &Path,
    text: &[u8],
    run: Option<RunId>,
) -> Result<T> {
    let open = opened(text, run).map_err(StoreError::misfit(path))?;
    serde_json::from_slice(&open).map_err(StoreError::json(path))
}

/// The run that a sealed document names; `None` without a seal or if its checksum is wrong.
pub(crate) fn run_of(text: &[u8]) -> Option<RunId> {
    let (sealed, checksum) = split(text)?;
    let computed = format!("{:08x}", crc32c::crc32c(sealed));
    let text = std::str::from_utf8(sealed).ok()?.trim_end();
    let (_, run) = text.strip_suffix("\",")?.rsplit_once("\"run\": \"")?;
    run.parse().ok().filter(|_| computed.as_bytes() == checksum)
}

/// Checks the seal and returns the text without it.
fn opened(text: &[u8], run: Option<RunId>) -> Result<Vec<u8>, Misfit> {
    let Some((sealed, checksum)) = split(text) else {
        // An object without a seal has lost it; anything else never had one.
        return match run {
            Some(run) if text.trim_ascii_end().ends_with(b"\n}") => Err(Misfit::Damaged {
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

/// Splits off the checksum; returns the text that it covers, and the checksum.
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
        assert_eq!(run_of(&text), RUN);
        assert_eq!(run_of(&text[1..]), None);
        let unsealed = seal(Path::new(""), &document, None).unwrap();
        assert_eq!(read(&unsealed, None).unwrap(), document);
        assert_eq!(run_of(&unsealed), None);
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
        // As editors leave it that cut the last byte, or change line ends.
        let text_of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let cut = text_of(&text).trim_end().to_owned();
        let windows = text_of(&text).replace('\n', "\r\n");
        for changed in [cut, windows] {
            assert!(read(changed.as_bytes(), RUN).is_err(), "{changed:?}");
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
    fn what_is_no_object_has_no_seal() {
        for document in [json!("self-play"), json!([1, 2]), json!(null)] {
            let text = seal(Path::new(""), &document, RUN).unwrap();
            assert_eq!(read(&text, RUN).unwrap(), document);
        }
    }
}
