//! The threads of a command.

use run::config;

use super::number_in;

/// Maximum number of threads, as for the setting `threads`.
const MAX_THREADS: u64 = 1024;

/// The number of threads.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ThreadsArg {
    /// Threads to use [default: 0, one per core]
    #[arg(long, value_name = "N", value_parser = number_in(0, MAX_THREADS))]
    pub(crate) threads: Option<u64>,
}

impl ThreadsArg {
    /// The number of threads to use.
    pub(crate) fn count(self) -> usize {
        config::threads(self.threads.unwrap_or_default() as usize)
    }
}
