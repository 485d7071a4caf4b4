//! `crownhead fleet`: the machines that play for a run.

mod submit;

use std::ffi::OsString;
use std::io::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::ValueHint;
use fleet::audit;
use run::RequestError;
use share::{FleetStatus, Share, open, variables};
use web::fleet_metrics;

use crate::options::ThreadsArg;
use crate::output::Output;

/// Manage the machines that play for a run
#[derive(clap::Subcommand, Debug)]
#[command(after_help = "\
Examples:
  crownhead fleet status /shared/english
  crownhead fleet audit /shared/english
  crownhead fleet submit english /shared/english --slurm --workers 20
  crownhead fleet metrics /shared/english")]
pub(crate) enum FleetCommand {
    Status(StatusArgs),
    Audit(AuditArgs),
    Metrics(MetricsArgs),
    Submit(submit::SubmitArgs),
    #[command(hide = true)]
    Gateway(MovedArgs),
    #[command(hide = true)]
    Invite(MovedArgs),
}

/// The fleet.
#[derive(clap::Args, Debug)]
struct Place {
    /// The shared place that crownhead train was given as --fleet
    #[arg(value_name = "URL")]
    url: String,
}

impl Place {
    fn open(&self) -> anyhow::Result<Box<dyn Share>> {
        Ok(open(&self.url, &variables())?)
    }
}

/// Show the games in progress and the machines that play
#[derive(clap::Args, Debug)]
#[command(after_help = "\
JSON: {\"run\",\"variant\",\"generation\",\"work\",\"chunks\",\"finished\",\"is_over\",
\"workers\":[{\"name\",\"version\",\"instructions\",\"threads\",\"generation\",\"games\",
\"games_per_s\",\"begun\",\"silent_s\",\"is_silent\"}],\"findings\":[{\"worker\",\"name\",
\"reason\"}]}.

Examples:
  crownhead fleet status /shared/english")]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    place: Place,
}

/// Replay games that machines have shared, and name machines whose games differ
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The games are of the current generation, as long as they are shared. Games
of earlier ones are in the run: crownhead check RUN --replay N.

Exit status: 0 all games are reproduced, 1 some differ.
JSON: {\"chunks\",\"findings\":[{\"name\",\"worker\",\"reason\"}]}.

Examples:
  crownhead fleet audit /shared/english --parts 20")]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    place: Place,
    /// Parts of the generation to play again
    #[arg(long, alias = "chunks", value_name = "N", default_value_t = 10)]
    parts: usize,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl AuditArgs {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let share = self.place.open()?;
        let stop = super::stop_on_ctrl_c()?;
        let audit = audit(&*share, self.parts, self.threads.count(), &stop)?;
        output.result(&audit)?;
        let n = audit.mismatches.len();
        anyhow::ensure!(n == 0, "{n} of {} parts differ", audit.chunks);
        Ok(())
    }
}

/// Tell Prometheus, or an autoscaler, what a fleet does
///
/// Serves /metrics: parts that wait for a machine, the games of each machine and, with --run, what
/// the trainer has reached.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Anyone who can reach the address can read the figures, and nothing else. The
page of crownhead serve has them too, for its own machine. Ctrl-C ends it.

Examples:
  crownhead fleet metrics /shared/english --run /shared/english
  crownhead fleet metrics s3://bucket/a --run runs/a --port 9000")]
pub(crate) struct MetricsArgs {
    #[command(flatten)]
    place: Place,
    /// The run that the fleet plays for; it need not be there yet
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    run: Option<PathBuf>,
    /// The address to listen at
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0")]
    address: IpAddr,
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 9464)]
    port: u16,
}

impl MetricsArgs {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let share = self.place.open()?;
        let stop = super::stop_on_ctrl_c()?;
        let name = self.place.url.trim_end_matches('/');
        let name = name.rsplit('/').next().unwrap_or(name);
        let address = SocketAddr::new(self.address, self.port);
        let metrics = fleet_metrics(address, name, share, self.run.clone())?;
        let address = metrics.address();
        result_line!(
            output,
            { address: address.to_string() },
            "http://{address}/metrics (Ctrl-C ends this)"
        )?;
        Ok(metrics.run(&stop)?)
    }
}

/// A command that another program has now
#[derive(clap::Args, Debug)]
pub(crate) struct MovedArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

/// The error of a command that another program has now.
fn moved(command: &str) -> RequestError {
    RequestError(format!(
        "gateways are a program of their own now: crownhead-gateway {command}. It comes with the \
         archives of releases, and from source by cargo install --path apps/gateway"
    ))
}

impl FleetCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match self {
            FleetCommand::Status(StatusArgs { place }) => {
                output.result(&FleetStatus::read(&*place.open()?)?)
            }
            FleetCommand::Audit(args) => args.run(output),
            FleetCommand::Gateway(_) => Err(moved("serve").into()),
            FleetCommand::Invite(_) => Err(moved("invite").into()),
            FleetCommand::Metrics(args) => args.run(output),
            FleetCommand::Submit(args) => args.run(output),
        }
    }
}
