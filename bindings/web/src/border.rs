//! The functions that JavaScript calls and provides. Texts and bytes are passed in memory from
//! [`crownhead_allocate`].

use std::cell::RefCell;
use std::ptr;
use std::time::Duration;

use crate::{Host, Session};

#[link(wasm_import_module = "crownhead")]
unsafe extern "C" {
    /// Milliseconds since an arbitrary moment.
    safe fn now() -> f64;
    /// Receives a report, or the message of a panic; returning 0 ends the analysis.
    fn report(text: *const u8, length: usize) -> i32;
    fn failed(text: *const u8, length: usize);
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::new(Host {
        clock: || Duration::from_secs_f64(now().max(0.0) / 1e3),
        // SAFETY: the text lives during the call, which only reads it.
        report: |text| unsafe { report(text.as_ptr(), text.len()) != 0 },
    }));
    /// The last reply, which JavaScript reads after the call.
    static REPLY: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Allocates `length` bytes, which the receiving call frees.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_allocate(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Answers the request in a text, with additional bytes, and frees both. Returns the length of the
/// reply, which starts at [`crownhead_reply`].
///
/// # Safety
/// Both come from [`crownhead_allocate`] with these lengths and have not been used before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crownhead_answer(
    text: *mut u8,
    text_length: usize,
    bytes: *mut u8,
    bytes_length: usize,
) -> usize {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        // SAFETY: the text lives during the call, which only reads it.
        unsafe { failed(text.as_ptr(), text.len()) };
    }));
    // SAFETY: the caller guarantees that both are boxes of these lengths and transfers them.
    let [text, bytes] = unsafe { [owned(text, text_length), owned(bytes, bytes_length)] };
    let reply = match str::from_utf8(&text) {
        Err(error) => format!("{{\"error\":\"the request is not UTF-8: {error}\"}}"),
        Ok(text) => SESSION.with_borrow_mut(|session| session.answer(text, &bytes)),
    };
    REPLY.with_borrow_mut(|last| {
        *last = reply;
        last.len()
    })
}

/// Start of the last reply.
#[unsafe(no_mangle)]
pub extern "C" fn crownhead_reply() -> *const u8 {
    REPLY.with_borrow(|last| last.as_ptr())
}

/// Restores the box from its pointer and length.
///
/// # Safety
/// They came from [`crownhead_allocate`], and nothing else uses them.
unsafe fn owned(start: *mut u8, length: usize) -> Box<[u8]> {
    // SAFETY: guaranteed by the caller.
    unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(start, length)) }
}
