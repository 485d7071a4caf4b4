//! Rules, search and networks as a WebAssembly module.
//!
//! The interface is minimal: one JSON request in, one JSON reply out, with additional bytes if the
//! request loads a file. [`Session::answer`] is the same code on every platform, so a test compares
//! the replies of WebAssembly and native code. `js/crownhead.js` is the other side.

#[cfg(target_arch = "wasm32")]
mod border;
mod reading;
mod request;

pub use request::{Host, Session};
