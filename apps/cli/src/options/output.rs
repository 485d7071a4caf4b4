//! Paths that commands write to and read from, other than runs.

use std::path::PathBuf;

use clap::ValueHint;

/// Path that a command writes to. The command's help explains its content.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ToArg {
    /// The folder to write; created if it does not exist
    #[arg(long, value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) to: PathBuf,
}

/// Path of endgame databases.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct EndgamesArg {
    /// The folder of endgame databases, one file per game
    #[arg(long, value_name = "DIR", default_value = "endgames", value_hint = ValueHint::DirPath)]
    pub(crate) endgames: PathBuf,
}
