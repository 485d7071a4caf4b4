//! The threads of a command.

use run::config;

use super::number_in;

/// Maximum number of threads, as for the setting `threads`.
const MAX_THREADS: usize = 1024;

/// The number of threads.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ThreadsArg {
    /// Threads to use [default: 0, one per core]
    #[arg(long, value_name = "N", value_parser = number_in(0, MAX_THREADS))]
    threads: Option<usize>,
}

impl ThreadsArg {
    /// The number of threads to use.
    pub(crate) fn count(self) -> usize {
        config::threads(self.threads.unwrap_or_default())
    }

    /// The number as given, 0 for one per core.
    pub(crate) fn asked(self) -> Option<u64> {
        self.threads.map(|threads| threads as u64)
    }
}
