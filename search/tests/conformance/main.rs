//! The search seen from outside.
#[cfg(any())]
mod support;
