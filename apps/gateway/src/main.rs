//! The program `crownhead-gateway`.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use gateway::{GatewayError, Program};
use types::printable;

/// That of `crownhead`: the figures of the soak are for it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let Err(error) = Program::parse().run(&mut io::stdout()) else {
        return ExitCode::SUCCESS;
    };
    let text = format!("error: {error:#}");
    // If stderr is closed too, only the exit status remains.
    let _ = writeln!(io::stderr(), "{}", printable(&text));
    let is_usage = matches!(error.downcast_ref(), Some(GatewayError::Volunteer(_)));
    ExitCode::from(if is_usage { 2 } else { 1 })
}
