//! Duration of a command.

use std::time::Duration;

use types::parse_limit;

/// Duration of a command. The command's help says what it limits.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ForArg {
    /// The duration, as 90s, 45m or 1h30m
    #[arg(long = "for", value_name = "TIME", value_parser = parse_limit)]
    pub(crate) duration: Option<Duration>,
}
