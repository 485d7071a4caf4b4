//! Configuration: TOML layers, merged key by key, checked once, with the origin of every value.
//!
//! `configs/base.toml` is the schema: a key exists if it stands there, has the type of its value
//! there, and the range that the comment above it states. Other layers hold differences only.
//! Later layers win: base, variant, preset, file, `--set`, dedicated flags.

mod embedded;
mod error;
mod layer;
mod merge;
mod resolve;
mod run_file;
mod schema;
mod sections;

pub(crate) use embedded::preset_summaries;
pub(crate) use error::ConfigError;
pub(crate) use resolve::{ConfigArgs, Resolved};
pub(crate) use run_file::render;
pub(crate) use schema::{Key, SCHEMA};
pub(crate) use {run_file::RunFile, sections::*};
