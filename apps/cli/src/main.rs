//! The program `crownhead`: command line and output.
//!
//! Each command has a file in `commands`, which reads arguments, calls a library crate and prints.
//! The library crates never print, exit or read the environment. This page is an overview;
//! `ARCHITECTURE.md` has the invariants, `docs/` is the book, `CONTRIBUTING.md` explains how to
//! make a change.
//!
//! # The games
//!
//! [`rules`] has positions, moves, results and notation. A variant is a table of constants, and
//! everything above works for any variant. [`types`] and [`settings`] contain basics for all
//! crates: seeds, results as win, draw and loss, and the declaration of settings.
//!
//! # Thinking
//!
//! [`search`] is tree search over `rules`, guided by an `Evaluator`. [`alphabeta`] is alpha-beta
//! search, [`nnue`] its learned evaluation, and [`endgame`] has databases with exact values of
//! positions with few pieces. [`model`] is the network: graph, heads, inference and training on the
//! CPU and on GPUs.
//!
//! # Players
//!
//! [`engine`] combines a search, an evaluator and a clock to a player, and speaks Hub and DXP.
//! [`roster`] has every kind of player that can be named, and loads them. [`bundled`] contains the
//! trained players of this program. [`agent`] is the library for other programs; `bindings/` makes
//! it available in C, Python and JavaScript.
//!
//! # Learning
//!
//! A generation is self-play ([`selfplay`]), training ([`trainer`]), and a gate and ratings
//! ([`eval`], with the statistics in [`ratings`]). They communicate through the directory of a run,
//! which [`store`] reads and writes. [`distill`] trains an evaluation for alpha-beta search from
//! games.
//!
//! # Runs
//!
//! [`config`] has the settings of a run, [`run`] the loop over generations, and [`fleet`] lets many
//! machines play for one run, through the files of [`share`]. [`lab`] has tools for runs and
//! players: comparisons, diagnosis, ratings. [`export`] writes a model for other programs. [`page`]
//! is the page in the browser, and [`web`] serves it on the server of [`http`]. The gateway of a
//! fleet is a program of its own: [`gateway`].
//!
//! [`agent`]: ../agent/index.html
//! [`alphabeta`]: ../alphabeta/index.html
//! [`bundled`]: ../bundled/index.html
//! [`config`]: ../config/index.html
//! [`distill`]: ../distill/index.html
//! [`endgame`]: ../endgame/index.html
//! [`engine`]: ../engine/index.html
//! [`eval`]: ../eval/index.html
//! [`export`]: ../export/index.html
//! [`fleet`]: ../fleet/index.html
//! [`gateway`]: ../gateway/index.html
//! [`http`]: ../http/index.html
//! [`lab`]: ../lab/index.html
//! [`model`]: ../model/index.html
//! [`nnue`]: ../nnue/index.html
//! [`page`]: ../page/index.html
//! [`run`]: ../run/index.html
//! [`ratings`]: ../ratings/index.html
//! [`roster`]: ../roster/index.html
//! [`rules`]: ../rules/index.html
//! [`search`]: ../search/index.html
//! [`selfplay`]: ../selfplay/index.html
//! [`settings`]: ../settings/index.html
//! [`share`]: ../share/index.html
//! [`store`]: ../store/index.html
//! [`trainer`]: ../trainer/index.html
//! [`types`]: ../types/index.html
//! [`web`]: ../web/index.html

/// Prints a line to standard error if possible: a closed or full stream must not end a training.
macro_rules! note {
    ($($text:tt)*) => {
        $crate::output::note(format_args!($($text)*))
    };
}

/// Writes a line of JSON to an output: a document with these keys and values.
macro_rules! json_line {
    ($output:expr, $($key:ident: $value:expr),+ $(,)?) => {
        $output.document(|document| {
            use serde::ser::SerializeMap as _;
            $(document.serialize_entry(stringify!($key), &$value)?;)+
            Ok(())
        })
    };
}

/// Writes a result: a line of JSON with these keys and values, or text.
macro_rules! result_line {
    ($output:expr, { $($key:ident: $value:expr),+ }, $($text:tt)+) => {
        match $output.is_json() {
            true => json_line!($output, $($key: $value),+),
            false => writeln!($output, $($text)+).map_err(anyhow::Error::from),
        }
    };
}

mod args;
mod commands;
mod complete;
mod display;
mod logs;
mod options;
mod output;
mod paint;
#[cfg(test)]
mod tests;
mod train;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap_complete::CompleteEnv;
use fleet::FleetError;
use roster::RosterError;
use run::config::ConfigError;
use run::{RequestError, RunError, error_chain};

use crate::args::Args;
use crate::output::{Interrupted, Output};

/// Keeps freed memory for reuse: burn allocates and frees tensors of the same sizes in every step.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // If a shell asks for completions, answers and does nothing else.
    CompleteEnv::with_factory(args::command)
        .var(complete::VARIABLE)
        .complete();
    let args = Args::from_command_line();
    let mut output = Output::stdout(args.format);
    match args
        .command
        .run(&mut output)
        .and_then(|()| Ok(output.flush()?))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<Interrupted>() => {
            note!("{error}");
            ExitCode::from(130)
        }
        Err(error) => {
            // If stderr is closed too, only the exit status remains.
            note!("error: {}", error_chain(error.as_ref()));
            ExitCode::from(if is_usage(&error) { 2 } else { 1 })
        }
    }
}

/// Returns `true` for invalid requests, where nothing has been tried.
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
        || is(error, RunError::is_request)
        || is(error, FleetError::is_request)
}

/// Returns `true` if the reader of the output has gone away, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().map(io::Error::kind)
    };
    error
        .chain()
        .any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}
