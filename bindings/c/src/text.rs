//! Strings passed to and from C.

use std::ffi::{CStr, CString, c_char};

use serde_json::to_string;

use crate::error::{Failure, Result, guard};

/// A string from the caller; `name` is used in messages.
///
/// # Safety
/// The string is `NULL`, or null-terminated and lives as long as the result.
pub(crate) unsafe fn optional<'a>(text: *const c_char, name: &str) -> Result<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller guarantees that it is null-terminated and lives long enough.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text
        .to_str()
        .map_err(|error| Failure(format!("{name} is not UTF-8: {error}")))?;
    Ok(Some(text))
}

/// As [`optional`], but `NULL` is an error.
///
/// # Safety
/// As [`optional`].
pub(crate) unsafe fn required<'a>(text: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: the caller's guarantees are the required ones.
    let text = unsafe { optional(text, name)? };
    text.ok_or_else(|| Failure(format!("{name} is NULL: give a string")))
}

/// A string for the caller, or `NULL` after a failure.
pub(crate) fn owned(make: impl FnOnce() -> Result<String>) -> *mut c_char {
    let text = guard(make).and_then(|text| CString::new(text.replace('\0', " ")).ok());
    text.map_or(std::ptr::null_mut(), CString::into_raw)
}

/// A value as JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String> {
    to_string(value).map_err(|error| Failure(error.to_string()))
}
