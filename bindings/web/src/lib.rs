//! Rules, search and networks as a WebAssembly module.
//!
//! The border is as narrow as it can be: one request goes in as JSON, one reply comes out as JSON, with bytes
//! beside the request where a file is loaded. [`Session::answer`] is the same code on every platform, so a test
//! compares what WebAssembly answers with what the processor does. `js/crownhead.js` is the other side.

#[cfg(target_arch = "wasm32")]
mod border;
mod request;

pub use request::{Host, Session};
