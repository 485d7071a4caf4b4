//! `crownhead fleet`: the machines that play for a run.

use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;

use fleet::{FleetStatus, Objects, Trust};
use pipeline::fleet::audit;

use crate::conditions::ThreadsArg;
use crate::output::Output;

/// Look at the machines that play for a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead fleet status /shared/english
  crownhead fleet audit /shared/english")]
pub(crate) struct FleetCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    Status(StatusArgs),
    Audit(AuditArgs),
}

/// Show what is played, and by whom
#[derive(clap::Args, Debug)]
#[command(after_help = "\
JSON: {\"run\",\"variant\",\"generation\",\"work\",\"chunks\",\"finished\",\"is_over\",\"workers\":[{\"name\",\"version\",
\"instructions\",\"threads\",\"generation\",\"games\",\"games_per_s\",\"begun\",\"silent_s\",\"is_silent\"}],\"findings\":[{\"worker\",
\"name\",\"reason\"}]}.

Examples:
  crownhead fleet status /shared/english")]
struct StatusArgs {
    /// What crownhead train was given as --fleet
    #[arg(value_name = "URL")]
    url: String,
}

/// Play what others have shared again, and name those who shared something else
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Looked at are games of the generation that is played now, as long as they are shared. Those of earlier ones are
in the run: crownhead check RUN --replay N.

Exit status: 0 all is well, 1 something is wrong.
JSON: {\"chunks\",\"findings\":[{\"name\",\"worker\",\"reason\"}]}.

Examples:
  crownhead fleet audit /shared/english --chunks 20")]
struct AuditArgs {
    /// What crownhead train was given as --fleet
    #[arg(value_name = "URL")]
    url: String,
    /// Parts of the generation to play again
    #[arg(long, value_name = "N", default_value_t = 10)]
    chunks: usize,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl AuditArgs {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let share = Objects::open(&self.url, &variables())?;
        let stop = super::stop_on_ctrl_c()?;
        let audit = audit(&share, self.chunks, self.threads.count(), &stop)?;
        if output.is_json() {
            output.json(&audit)?;
        } else {
            for finding in &audit.findings {
                writeln!(
                    output,
                    "{}: {} ({})",
                    finding.worker, finding.reason, finding.name
                )?;
            }
            writeln!(output, "{} parts were played again", audit.chunks)?;
        }
        output.flush()?;
        let n = audit.findings.len();
        anyhow::ensure!(
            n == 0,
            "{n} of {} parts are not what they should be",
            audit.chunks
        );
        Ok(())
    }
}

impl FleetCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let url = match self.action {
            Action::Status(StatusArgs { url }) => url,
            Action::Audit(args) => return args.run(output),
        };
        output.result(&FleetStatus::read(
            &Objects::open(&url, &variables())?,
            &url,
        )?)
    }
}

/// What buckets are opened with: the environment, where other programs look for credentials, too.
pub(crate) fn variables() -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// Believes everybody whose games come out the same. Nobody else can tell which are played again.
pub(crate) fn trust(audit: f64) -> Trust {
    Trust::new(audit, RandomState::new().build_hasher().finish())
}
