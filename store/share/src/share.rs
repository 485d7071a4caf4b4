//! Named objects that the machines of a fleet read and write.

use std::fmt;
use std::time::{Duration, SystemTime};

use store::Hold;

use crate::ShareError;

/// Maximum size of a network in bytes.
const MAX_MODEL_BYTES: u64 = 1 << 30;
/// Maximum size of any other object in bytes: a segment of games, or a document.
pub(crate) const MAX_BYTES: u64 = 128 << 20;

/// Maximum size in bytes of the object with this name.
pub(crate) fn limit_of(name: &str) -> u64 {
    match name.ends_with(".safetensors") {
        true => MAX_MODEL_BYTES,
        false => MAX_BYTES,
    }
}

/// Time limit for a response, without the transfer of its content.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
/// Minimum transfer rate in bytes per second.
pub(crate) const SLOWEST: u64 = 64 << 10;

/// An object in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name, with slashes.
    pub name: String,
    /// Time of the last write, by the clock of the store.
    pub modified: SystemTime,
    /// Its size; 0 where the share does not tell.
    pub bytes: u64,
}

/// Error of reading or writing an object.
#[derive(Debug, thiserror::Error)]
#[error("failed to {what} {name} in {place}: {reason}")]
pub struct ObjectError {
    /// The operation: `read`, `write`, `list` or `remove`.
    pub what: &'static str,
    /// The object.
    pub name: String,
    /// The place of the share.
    pub place: String,
    /// The reason.
    pub reason: String,
}

/// A call to a share, for its errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// `read`, `write`, `list`, `remove` or `tidy`.
    pub(crate) what: &'static str,
    /// The object or folder.
    pub(crate) name: &'a str,
}

impl<'a> Call<'a> {
    pub(crate) fn new(what: &'static str, name: &'a str) -> Call<'a> {
        Call { what, name }
    }

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
/// else is guaranteed: writes may be lost, repeated, delayed or truncated, and listings may be
/// stale.
pub trait Share: fmt::Debug + Send + Sync {
    /// The name of the share for users.
    fn place(&self) -> &str;

    /// The bytes of an object; `None` if it does not exist.
    ///
    /// # Errors
    /// If the share does not respond.
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, ObjectError>;

    /// Hands the bytes of an object to `take` in pieces, as long as that returns `true`; none where
    /// there is no such object. A large object need not be in memory as a whole.
    ///
    /// # Errors
    /// When the share does not answer.
    fn read(
        &self,
        name: &str,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Option<()>, ObjectError> {
        let found = self.get(name)?;
        Ok(found.map(|bytes| {
            take(&bytes);
        }))
    }

    /// Keeps other processes from leading the fleet as long as the result is kept. `None` if this
    /// kind of share cannot tell, as a bucket.
    ///
    /// # Errors
    /// [`ShareError::Led`] if another process leads it.
    fn hold(&self) -> Result<Option<Hold>, ShareError> {
        Ok(None)
    }

    /// Removes empty folders and pieces of objects that killed machines have left, if the share is
    /// a directory.
    ///
    /// # Errors
    /// When the share does not answer.
    fn sweep(&self, _folder: &str) -> Result<(), ObjectError> {
        Ok(())
    }

    /// Writes or replaces an object.
    ///
    /// # Errors
    /// If the share fails.
    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectError>;

    /// All objects whose names start with `folder` and a slash, in any order.
    ///
    /// # Errors
    /// If the share does not respond.
    fn list(&self, folder: &str) -> Result<Vec<Listed>, ObjectError>;

    /// Removes an object, if it exists.
    ///
    /// # Errors
    /// If the share fails.
    fn delete(&self, name: &str) -> Result<(), ObjectError>;
}
