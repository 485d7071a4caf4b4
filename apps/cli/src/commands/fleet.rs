//! `crownhead fleet`: the machines that play for a run.

mod submit;

use std::ffi::OsString;
use std::io::Write as _;
use std::net::{AddrParseError, IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueHint;
use fleet::audit;
use share::{FleetStatus, Quota, Share, Volunteers, open};
use web::{FleetMetrics, Gateway, Invitation};

use crate::options::ThreadsArg;
use crate::output::Output;

/// The port of a gateway.
const USUAL_PORT: u16 = 8065;

/// Manage the machines that play for a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead fleet status /shared/english
  crownhead fleet audit /shared/english
  crownhead fleet submit english /shared/english --slurm --workers 20
  crownhead fleet invite ada --volunteers volunteers
  crownhead fleet gateway /shared/english --volunteers volunteers
  crownhead fleet metrics /shared/english")]
pub(crate) struct FleetCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    Status(StatusArgs),
    Audit(AuditArgs),
    Gateway(GatewayArgs),
    Invite(InviteArgs),
    Metrics(MetricsArgs),
    Submit(submit::SubmitArgs),
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
struct StatusArgs {
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
struct AuditArgs {
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
        output.flush()?;
        let n = audit.mismatches.len();
        anyhow::ensure!(n == 0, "{n} of {} parts differ", audit.chunks);
        Ok(())
    }
}

/// Let machines play that cannot reach the shared directory
///
/// Such as machines behind a router at home.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The file of volunteers is written by crownhead fleet invite. The connection is
not encrypted: use it in a network that you trust, through a tunnel, or behind a
proxy that speaks TLS. Ctrl-C ends it; invitations that were written meanwhile
count when it is started again.

Examples:
  crownhead fleet gateway /shared/english --volunteers volunteers
  crownhead fleet gateway s3://bucket/a --volunteers v --port 9000")]
struct GatewayArgs {
    #[command(flatten)]
    place: Place,
    /// The file of machines that may play
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    volunteers: PathBuf,
    /// The address to listen at: that of this machine for one network of several
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0")]
    address: ListenAt,
    /// The port; 0 is any that is free [default: 8065]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

/// An address. Earlier versions took the port with it.
#[derive(Clone, Copy, Debug)]
struct ListenAt {
    ip: IpAddr,
    port: Option<u16>,
}

impl FromStr for ListenAt {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<ListenAt, AddrParseError> {
        match text.parse::<SocketAddr>() {
            Ok(both) => Ok(ListenAt {
                ip: both.ip(),
                port: Some(both.port()),
            }),
            Err(_) => Ok(ListenAt {
                ip: text.parse()?,
                port: None,
            }),
        }
    }
}

impl GatewayArgs {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let share = self.place.open()?;
        let volunteers = Volunteers::read(&self.volunteers)?;
        let stop = super::stop_on_ctrl_c()?;
        let port = self.port.or(self.address.port).unwrap_or(USUAL_PORT);
        let address = SocketAddr::new(self.address.ip, port);
        let gateway = Gateway::bind(address, share, volunteers, Quota::default())?;
        let address = gateway.address().to_string();
        match output.is_json() {
            true => json_line!(output, address: address)?,
            false => writeln!(
                output,
                "Machines join by crownhead worker --join http://NAME:SECRET@HOST:{} (Ctrl-C ends this)",
                gateway.address().port()
            )?,
        }
        output.flush()?;
        Ok(gateway.run(&stop)?)
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
struct MetricsArgs {
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
        let metrics = FleetMetrics::bind(address, name, share, self.run.clone())?;
        let address = metrics.address();
        match output.is_json() {
            true => json_line!(output, address: address.to_string())?,
            false => writeln!(output, "http://{address}/metrics (Ctrl-C ends this)")?,
        }
        output.flush()?;
        Ok(metrics.run(&stop)?)
    }
}

/// Let a volunteer's machines play through a gateway
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Writes the name and a hash into the file, and shows the secret once; it is kept
nowhere. To withdraw an invitation, remove its line.

Examples:
  crownhead fleet invite ada --volunteers volunteers")]
struct InviteArgs {
    /// The volunteer's name, in letters and digits
    #[arg(value_name = "NAME")]
    name: String,
    /// The file of machines that may play; it need not be there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    volunteers: PathBuf,
}

impl InviteArgs {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let invitation = Invitation::new(&self.name)?;
        Volunteers::invite(&self.volunteers, &self.name, &invitation.secret)?;
        output.result(&invitation)
    }
}

impl FleetCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        match self.action {
            Action::Status(StatusArgs { place }) => {
                output.result(&FleetStatus::read(&*place.open()?)?)
            }
            Action::Audit(args) => args.run(output),
            Action::Gateway(args) => args.run(output),
            Action::Invite(args) => args.run(output),
            Action::Metrics(args) => args.run(output),
            Action::Submit(args) => args.run(output),
        }
    }
}

/// The environment, which holds the credentials of buckets.
pub(crate) fn variables() -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_may_follow_the_address() {
        let read = |text: &str| {
            text.parse::<ListenAt>()
                .map(|at| (at.ip.to_string(), at.port))
        };
        assert_eq!(read("127.0.0.1"), Ok(("127.0.0.1".to_owned(), None)));
        assert_eq!(read("127.0.0.1:9"), Ok(("127.0.0.1".to_owned(), Some(9))));
        assert_eq!(read("[::1]:9"), Ok(("::1".to_owned(), Some(9))));
        assert_eq!(read("::1"), Ok(("::1".to_owned(), None)));
        assert!(read("here").is_err());
    }
}
