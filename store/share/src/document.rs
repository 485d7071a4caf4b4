//! JSON documents of a share.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{ObjectError, Share, ShareError};

/// Reads a document; `None` if it does not exist.
pub(crate) fn read<T: DeserializeOwned>(
    share: &dyn Share,
    name: &str,
) -> Result<Option<T>, ShareError> {
    let Some(bytes) = share.get(name)? else {
        return Ok(None);
    };
    // A truncated document has no closing bracket.
    let document = serde_json::from_slice(&bytes).map_err(|error| ShareError::Document {
        name: name.to_owned(),
        reason: error.to_string(),
    });
    document.map(Some)
}

/// Writes a document.
pub(crate) fn write(
    share: &dyn Share,
    name: &str,
    document: &impl Serialize,
) -> Result<(), ObjectError> {
    let bytes = serde_json::to_vec_pretty(document).expect("plain values become JSON");
    share.put(name, bytes)
}
