//! The one binary: command line, configuration, the closed loop, and everything a person sees.

/// A line on standard error, if that can be written: a closed or full one must not end a training.
macro_rules! note {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

/// Writes a line of JSON to an output: a document of these keys and values.
macro_rules! json_line {
    ($output:expr, $($key:ident: $value:expr),+ $(,)?) => {
        $output.document(|document| {
            use serde::ser::SerializeMap as _;
            $(document.serialize_entry(stringify!($key), &$value)?;)+
            Ok(())
        })
    };
}

mod args;
mod commands;
mod conditions;
mod config_args;
mod display;
mod logs;
mod output;
mod train;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use model::ModelError;
use pipeline::config::ConfigError;
use pipeline::{PipelineError, RequestError};
use trainer::TrainError;

use crate::args::Args;
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
            ExitCode::from(if is_usage(&error) { 2 } else { 1 })
        }
    }
}

/// Whether the request makes no sense, and nothing has been tried.
fn is_usage(error: &anyhow::Error) -> bool {
    error.is::<Usage>()
        || error.is::<ConfigError>()
        || error.is::<RequestError>()
        || error
            .downcast_ref::<PipelineError>()
            .is_some_and(PipelineError::is_request)
}

/// The error and its causes in one line, as a statement. Some errors name their cause themselves; it is
/// not said twice.
fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if words.ends_with(&text) {
            continue;
        }
        if !words.is_empty() {
            words.push_str(": ");
        }
        if says_what_was_tried(cause) {
            words.push_str("failed to ");
        }
        words.push_str(&text);
    }
    words
}

/// Whether an error's message is the end of a sentence, such as "read model.json: permission denied".
fn says_what_was_tried(error: &(dyn std::error::Error + 'static)) -> bool {
    error.is::<ModelError>() || error.is::<TrainError>()
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

    #[test]
    fn what_was_tried_is_no_order() {
        use model::Model;

        let missing = || Model::load("/nope".as_ref()).err().unwrap();
        let expected = format!("failed to {}", missing());
        assert!(expected.contains("/nope"), "{expected}");
        assert_eq!(in_words(&missing().into()), expected);
        assert_eq!(in_words(&PipelineError::from(missing()).into()), expected);
        let within = anyhow::Error::from(missing()).context("no player");
        assert_eq!(in_words(&within), format!("no player: {expected}"));
    }
}
