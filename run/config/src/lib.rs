//! Configuration: TOML layers, merged key by key, checked once, with the origin of every value.
//!
//! Each crate declares its settings with type, default, range, documentation, and whether they may
//! change while a run continues; `sections.rs` has the remaining settings and nests all of them.
//! `configs/base.toml` lists the same settings in TOML and is the lowest layer; the others only
//! hold differences. Later layers win: base, variant, preset, file, `--set`, dedicated flags.

mod change;
mod embedded;
mod error;
mod layer;
mod limits;
mod merge;
mod origin;
mod resolve;
mod retired;
mod run_file;
mod schema;
mod sections;
mod sources;

pub use change::SettingChange;
pub use embedded::preset_summaries;
pub use error::ConfigError;
pub use origin::{OriginKind, RunOrigin};
pub use resolve::{Asked, Resolved, Setting};
pub use run_file::{RunFile, RunFileError};
pub use schema::{SCHEMA, Schema, base_toml};
pub use sections::*;
pub use settings::{Change, Key, Value};
pub use sources::{ConfigSources, game_defaults};
