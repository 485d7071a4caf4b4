//! The duration of a command's work.

use std::time::Duration;

use types::parse_limit;

/// The duration of a command. Its help in each command says what that limits.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ForArg {
    /// The duration, as 90s, 45m or 1h30m
    #[arg(long = "for", value_name = "TIME", value_parser = parse_limit)]
    pub(crate) duration: Option<Duration>,
}
