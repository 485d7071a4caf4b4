//! Tests of the public interface in one program. `tests/simulation` is a separate program because
//! it also runs alone, with many seeds.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod curves;
mod games_and_devices;
mod integrity;
mod opening;
mod origin;
mod stages;
