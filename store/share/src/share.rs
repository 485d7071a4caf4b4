//! Named objects that the machines of a fleet read and write.

use std::fmt;
use std::time::{Duration, SystemTime};

/// Bytes of a network at most.
const MAX_MODEL_BYTES: u64 = 1 << 30;
/// Bytes of any other object at most: a segment of games, or a document.
pub(crate) const MAX_BYTES: u64 = 128 << 20;

/// Bytes at most of the object with this name.
pub(crate) fn limit_of(name: &str) -> u64 {
    match name.ends_with(".safetensors") {
        true => MAX_MODEL_BYTES,
        false => MAX_BYTES,
    }
}

/// Time limit for an answer, transfer of its content not included.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
/// Bytes a second at least.
pub(crate) const SLOWEST: u64 = 64 << 10;

/// An object, as a listing has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name, with slashes.
    pub name: String,
    /// When it was last written, by the clock of the store.
    pub modified: SystemTime,
}

/// Why an object could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("failed to {what} {name} in {place}: {reason}")]
pub struct ObjectError {
    /// The operation: `read`, `write`, `list` or `remove`.
    pub what: &'static str,
    /// The object.
    pub name: String,
    /// The place of the share.
    pub place: String,
    /// Why not.
    pub reason: String,
}

/// A call to a share, as its errors name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// `read`, `write`, `list` or `remove`.
    pub(crate) what: &'static str,
    /// The object or folder.
    pub(crate) name: &'a str,
}

impl Call<'_> {
    /// The error of this call to the share at `place`.
    pub(crate) fn failed(self, place: &str, reason: impl Into<String>) -> ObjectError {
        ObjectError {
            what: self.what,
            name: self.name.to_owned(),
            place: place.to_owned(),
            reason: reason.into(),
        }
    }
}

/// Named objects that several machines read and write. An object is replaced as a whole. Nothing
/// else is relied on: writes may be lost, repeated, late or cut off, and listings may be old.
pub trait Share: fmt::Debug + Send + Sync {
    /// The name that users know it by.
    fn place(&self) -> &str;

    /// An object's bytes; none where there is no such object.
    ///
    /// # Errors
    /// When the share does not answer.
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError>;

    /// Writes or replaces an object.
    ///
    /// # Errors
    /// When the share refuses.
    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectError>;

    /// All objects whose names begin with `folder` and a slash, in any order.
    ///
    /// # Errors
    /// When the share does not answer.
    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError>;

    /// Removes an object, if it is there.
    ///
    /// # Errors
    /// When the share refuses.
    fn delete(&self, name: &str) -> Result<(), ObjectError>;
}
