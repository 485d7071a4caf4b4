//! Places that commands write to and read from, other than runs.

use std::path::PathBuf;

use clap::ValueHint;

/// The place that a command writes to. Its help in each command says what is written there.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ToArg {
    /// The folder to write; made if it is not there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) to: PathBuf,
}

/// The place of endgame databases.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct EndgamesArg {
    /// The folder of endgame databases, a file for each game
    #[arg(long, value_name = "DIR", default_value = "endgames", value_hint = ValueHint::DirPath)]
    pub(crate) endgames: PathBuf,
}
