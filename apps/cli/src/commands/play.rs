//! `crownhead play`: the page, opened at a new game.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::ValueHint;
use rules::Variant;

use crate::commands::serve::ServeArgs;
use crate::complete;
use crate::options::EndgamesArg;
use crate::output::Output;

/// Play in the browser
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Starts the server of `crownhead serve`, and opens the browser at a new game. The
games are stored in the browser for the port: with the same one they are there
next time. Without a browser, open the address that is shown. Ctrl-C ends it.

Examples:
  crownhead play
  crownhead play frisian
  crownhead play english --no-browser")]
pub(crate) struct PlayArgs {
    /// The game or ruleset; without one, the page shows the last game
    #[arg(value_name = "VARIANT", add = complete::variants())]
    game: Option<Variant>,
    /// Only show the address
    #[arg(long)]
    no_browser: bool,
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 8064)]
    port: u16,
    /// The directory of runs
    #[arg(long, value_name = "DIR", default_value = "runs", value_hint = ValueHint::DirPath)]
    runs: PathBuf,
    #[command(flatten)]
    endgames: EndgamesArg,
}

impl PlayArgs {
    /// Serves until Ctrl-C.
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let view = self.game.map(|game| format!("#/new/{game}"));
        let serve = ServeArgs::local(self.port, self.runs, self.endgames);
        let show = |address: &str| {
            if !self.no_browser && !open(address) {
                note!("no browser could be started: open the address yourself");
            }
        };
        serve.run_at(&view.unwrap_or_default(), show, output)
    }
}

/// Opens an address in the browser; false if none could be started.
fn open(address: &str) -> bool {
    let [program, arguments @ ..] = opener(std::env::consts::OS) else {
        return false;
    };
    let started = Command::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.is_ok()
}

/// The command of a system that opens an address.
fn opener(system: &str) -> &'static [&'static str] {
    match system {
        "macos" => &["open"],
        // The shell would split an address at `&`.
        "windows" => &["rundll32", "url.dll,FileProtocolHandler"],
        _ => &["xdg-open"],
    }
}

#[cfg(test)]
mod tests {
    use super::opener;

    #[test]
    fn no_shell_reads_an_address() {
        for system in ["linux", "macos", "windows", "freebsd"] {
            let program = opener(system)[0];
            assert!(!["sh", "cmd", "powershell"].contains(&program), "{system}");
        }
    }
}
