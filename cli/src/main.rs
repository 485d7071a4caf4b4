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
use export::ExportError;
use fleet::FleetError;
use lab::LabError;
use pipeline::config::ConfigError;
use pipeline::{PipelineError, RequestError, in_words};
use roster::RosterError;

use crate::args::Args;
use crate::output::{Interrupted, Output};

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
            let _ = writeln!(io::stderr(), "error: {}", in_words(error.as_ref()));
            ExitCode::from(if is_usage(&error) { 2 } else { 1 })
        }
    }
}

/// Whether the request makes no sense, and nothing has been tried.
fn is_usage(error: &anyhow::Error) -> bool {
    fn is<E>(error: &anyhow::Error, is_request: fn(&E) -> bool) -> bool
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        error.downcast_ref().is_some_and(is_request)
    }
    error.is::<ConfigError>()
        || error.is::<RequestError>()
        || is(error, RosterError::is_request)
        || is(error, PipelineError::is_request)
        || is(error, FleetError::is_request)
        || is(error, LabError::is_request)
        || is(error, ExportError::is_request)
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
