//! The command line of `crownhead-gateway`.

use std::io::Write;
use std::net::{AddrParseError, IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use clap::{Parser, Subcommand, ValueHint};
use serde::Serialize;
use serde_json::json;
use share::{open, variables};

use crate::{Invitation, Quota, Volunteers, bind};

/// The port of a gateway.
const USUAL_PORT: u16 = 8065;

/// Lets machines play for a run that cannot reach its shared directory
#[derive(Debug, Parser)]
#[command(
    name = "crownhead-gateway",
    version,
    max_term_width = 80,
    arg_required_else_help = true,
    after_help = "\
Examples:
  crownhead-gateway invite ada --volunteers volunteers
  crownhead-gateway serve /shared/english --volunteers volunteers

Results are on standard output, everything else on standard error. Exit status:
0 done, 1 failed, 2 wrong usage, 130 stopped by a second Ctrl-C."
)]
pub struct Program {
    /// The format of results
    #[arg(long, global = true, value_enum, default_value = "text")]
    format: Format,
    #[command(subcommand)]
    action: Action,
}

/// A format of results.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
}

#[derive(Debug, Subcommand)]
enum Action {
    Serve(ServeArgs),
    Invite(InviteArgs),
}

/// Let machines play that cannot reach the shared directory
///
/// Such as machines behind a router at home.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
The file of volunteers is written by crownhead-gateway invite. The connection is
not encrypted: use it in a network that you trust, through a tunnel, or behind a
proxy that speaks TLS. Ctrl-C ends it; invitations that were written meanwhile
count when it is started again.

JSON: {\"address\"}.

Examples:
  crownhead-gateway serve /shared/english --volunteers volunteers
  crownhead-gateway serve s3://bucket/a --volunteers v --port 9000")]
struct ServeArgs {
    /// The shared place that crownhead train was given as --fleet
    #[arg(value_name = "URL")]
    url: String,
    /// The file of machines that may play
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    volunteers: PathBuf,
    /// The address to listen at: that of this machine for one network of several
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0", value_parser = listen_at)]
    address: (IpAddr, Option<u16>),
    /// The port; 0 is any that is free [default: 8065]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
}

/// Reads an address. Earlier versions took the port with it.
fn listen_at(text: &str) -> Result<(IpAddr, Option<u16>), AddrParseError> {
    match text.parse::<SocketAddr>() {
        Ok(both) => Ok((both.ip(), Some(both.port()))),
        Err(_) => Ok((text.parse()?, None)),
    }
}

/// Let a volunteer's machines play through a gateway
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Writes the name and a hash into the file, and shows the secret once; it is kept
nowhere. To withdraw an invitation, remove its line.

JSON: {\"name\",\"secret\",\"join\"}.

Examples:
  crownhead-gateway invite ada --volunteers volunteers")]
struct InviteArgs {
    /// The volunteer's name, in letters and digits
    #[arg(value_name = "NAME")]
    name: String,
    /// The file of machines that may play; it need not be there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    volunteers: PathBuf,
}

impl Program {
    /// Runs the command, and prints its result to `output`.
    ///
    /// # Errors
    /// If the command fails, or its result cannot be written.
    pub fn run(self, output: &mut impl Write) -> anyhow::Result<()> {
        match self.action {
            Action::Serve(args) => args.run(self.format, output),
            Action::Invite(args) => args.run(self.format, output),
        }
    }
}

impl Format {
    /// Prints the text, or a document with the same content.
    fn print(
        self,
        text: &str,
        document: &impl Serialize,
        output: &mut impl Write,
    ) -> anyhow::Result<()> {
        match self {
            Format::Text => write!(output, "{text}")?,
            Format::Json => writeln!(output, "{}", serde_json::to_string(document)?)?,
        }
        Ok(output.flush()?)
    }
}

impl ServeArgs {
    fn run(self, format: Format, output: &mut impl Write) -> anyhow::Result<()> {
        let share = open(&self.url, &variables())?;
        let volunteers = Volunteers::read(&self.volunteers)?;
        let stop = stop_on_ctrl_c()?;
        let (ip, port) = self.address;
        let port = self.port.or(port).unwrap_or(USUAL_PORT);
        let address = SocketAddr::new(ip, port);
        let server = bind(address, share, volunteers, Quota::default())?;
        let address = server.address();
        let join = format!("http://NAME:SECRET@HOST:{}", address.port());
        let text = format!("Machines join by crownhead worker --join {join} (Ctrl-C ends this)\n");
        format.print(&text, &json!({ "address": address }), output)?;
        Ok(server.run(&stop)?)
    }
}

impl InviteArgs {
    fn run(self, format: Format, output: &mut impl Write) -> anyhow::Result<()> {
        let invitation = Invitation::new(&self.name)?;
        Volunteers::invite(&self.volunteers, &self.name, &invitation.secret)?;
        format.print(&invitation.to_string(), &invitation, output)
    }
}

/// Becomes true at Ctrl-C; the second one ends the process.
fn stop_on_ctrl_c() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("failed to listen for Ctrl-C")?;
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn examples_are_understood() {
        let root = Program::command();
        let mut n_examples = 0;
        for command in std::iter::once(&root).chain(root.get_subcommands()) {
            let help = command.get_after_help().unwrap_or_default().to_string();
            let lines = help.lines().map(str::trim);
            for line in lines.filter(|line| line.starts_with("crownhead-gateway ")) {
                let parsed = Program::try_parse_from(line.split(' '));
                parsed.unwrap_or_else(|error| panic!("{line}: {error}"));
                n_examples += 1;
            }
        }
        assert_eq!(n_examples, 5);
    }

    #[test]
    fn a_port_may_follow_the_address() {
        let read = |text: &str| listen_at(text).map(|(ip, port)| (ip.to_string(), port));
        assert_eq!(read("127.0.0.1"), Ok(("127.0.0.1".to_owned(), None)));
        assert_eq!(read("127.0.0.1:9"), Ok(("127.0.0.1".to_owned(), Some(9))));
        assert_eq!(read("[::1]:9"), Ok(("::1".to_owned(), Some(9))));
        assert_eq!(read("::1"), Ok(("::1".to_owned(), None)));
        assert!(read("here").is_err());
    }
}
