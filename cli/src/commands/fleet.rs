//! `crownhead fleet`: the machines that play for a run.

use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use fleet::{FleetError, FleetStatus, Trust, Volunteers, open};
use pipeline::fleet::audit;
use web::Gateway;

use crate::conditions::ThreadsArg;
use crate::output::{Output, Usage};

/// Look at the machines that play for a run
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  crownhead fleet status /shared/english
  crownhead fleet audit /shared/english
  crownhead fleet invite ada --volunteers volunteers
  crownhead fleet gateway /shared/english --volunteers volunteers")]
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
        let share = open(&self.url, &variables())?;
        let stop = super::stop_on_ctrl_c()?;
        let audit = audit(&*share, self.chunks, self.threads.count(), &stop)?;
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

/// Let machines play that cannot see the share, such as those behind a router at home
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Who may play is in a file that crownhead fleet invite writes. The connection can be read by others in between:
use it in a network that you trust, through a tunnel, or behind a proxy that speaks TLS. Ctrl-C ends it; invitations that
were written meanwhile count when it is started again.

Examples:
  crownhead fleet gateway /shared/english --volunteers volunteers
  crownhead fleet gateway s3://bucket/english --volunteers volunteers --address 127.0.0.1:9000")]
struct GatewayArgs {
    /// What crownhead train was given as --fleet
    #[arg(value_name = "URL")]
    url: String,
    /// Who may play
    #[arg(long, value_name = "FILE")]
    volunteers: PathBuf,
    /// Where to listen: an address of this machine, and a port, 0 for any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:8065")]
    address: SocketAddr,
}

impl GatewayArgs {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let share = open(&self.url, &variables())?;
        let volunteers = Volunteers::read(&self.volunteers)?;
        let stop = super::stop_on_ctrl_c()?;
        let gateway = Gateway::bind(self.address, share, volunteers)?;
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

/// Let somebody's machines play through a gateway: writes the name and a hash into a file, and shows the secret
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The secret is shown once and kept nowhere. To invite somebody no longer, remove the line.

Examples:
  crownhead fleet invite ada --volunteers volunteers")]
struct InviteArgs {
    /// What the volunteer is called, in letters and digits
    #[arg(value_name = "NAME")]
    name: String,
    /// Who may play; it need not be there
    #[arg(long, value_name = "FILE")]
    volunteers: PathBuf,
}

impl InviteArgs {
    fn run(&self, output: &mut Output) -> anyhow::Result<()> {
        let (name, secret) = (&self.name, web::secret()?);
        let invited = Volunteers::invite(&self.volunteers, name, &secret);
        invited.map_err(|error| match error {
            FleetError::Volunteer { reason } => Usage(reason).into(),
            other => anyhow::Error::from(other),
        })?;
        let join = format!("http://{name}:{secret}@HOST:PORT");
        if output.is_json() {
            return json_line!(output, name: name, secret: secret, join: join);
        }
        writeln!(output, "Give {name} this, with the address of the gateway:")?;
        Ok(writeln!(output, "crownhead worker --join {join}")?)
    }
}

impl FleetCommand {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let url = match self.action {
            Action::Status(StatusArgs { url }) => url,
            Action::Audit(args) => return args.run(output),
            Action::Gateway(args) => return args.run(output),
            Action::Invite(args) => return args.run(output),
        };
        let share = open(&url, &variables())?;
        output.result(&FleetStatus::read(&*share)?)
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
