//! The one binary: command line, configuration, the closed loop, and everything a person sees.
#![expect(
    clippy::print_stderr,
    reason = "progress and messages go to standard error"
)]

mod args;
mod commands;
mod config;
mod display;
mod endgames;
mod evaluators;
mod models;
mod output;
mod players;
mod settings;
mod train;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Args;
use crate::config::ConfigError;
use crate::output::{Interrupted, Output, Usage};

/// Keeps freed memory for reuse: burn allocates and frees tensors of the same sizes every step.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    let mut output = Output::stdout(args.format);
    match args
        .command
        .run(&mut output)
        .and_then(|()| Ok(output.flush()?))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<Interrupted>() => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(130)
        }
        Err(error) => {
            // If stderr is closed too, the exit status has to do.
            let _ = writeln!(io::stderr(), "error: {}", in_words(&error));
            let is_usage = error.is::<Usage>() || error.is::<ConfigError>();
            ExitCode::from(if is_usage { 2 } else { 1 })
        }
    }
}

/// The error and its causes in one line. Some errors name their cause themselves; it is not said twice.
fn in_words(error: &anyhow::Error) -> String {
    let mut words = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !words.ends_with(&cause) {
            words.push_str(": ");
            words.push_str(&cause);
        }
    }
    words
}

/// Whether the reader of our output has gone away, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().map(io::Error::kind)
    };
    error
        .chain()
        .any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use anyhow::{Context as _, anyhow};

    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("open run.toml: {0}")]
        struct Opening(#[source] io::Error);
        let denied = io::Error::other("permission denied");
        let error = Err::<(), _>(Opening(denied)).context("failed to go on");
        let words = in_words(&error.unwrap_err());
        assert_eq!(words, "failed to go on: open run.toml: permission denied");
        assert_eq!(
            in_words(&anyhow!("no model").context("no player")),
            "no player: no model"
        );
    }
}
