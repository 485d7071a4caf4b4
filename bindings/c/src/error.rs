//! Failures: converts results and panics to a message that the caller can request.

use std::cell::RefCell;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Message of a failed call.
pub(crate) struct Failure(pub(crate) String);

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl<E: Into<agent::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure(error.into().to_string())
    }
}

thread_local! {
    /// The message of this thread's last failure.
    pub(crate) static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Runs a call; if it fails or panics, saves the message and returns `None`.
pub(crate) fn guard<T>(call: impl FnOnce() -> Result<T>) -> Option<T> {
    // After a panic only handles are used again, and these change atomically.
    let result = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Failure(format!(
            "internal error: {}",
            text.unwrap_or_default()
        )))
    });
    result
        .map_err(|failure| LAST.set(CString::new(failure.0.replace('\0', " ")).ok()))
        .ok()
}
