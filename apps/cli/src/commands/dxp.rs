//! `crownhead dxp`: a player as a partner for other draughts programs.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, TcpListener};

use anyhow::Context as _;
use engine::dxp::{self, Connection, PlayedGame, serve};

use roster::PartnerGame;

use crate::options::PartnerArgs;
use crate::output::Output;

/// Run a player as a DXP partner of other draughts programs
///
/// Scan, Kingsrow, Damage and others speak the DamExchange protocol (DXP).
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("variant", |arg| arg.help("The game, for players of several games")),
    after_help = "\
The player is the follower: it waits for programs that connect and ask for
games, one after the other, and thinks as long as they say. The protocol knows
boards of 50 squares and names no game: the other program must have been told to
play the same. Ctrl-C ends it.

The other way round, dxp:HOST:PORT is a player: crownhead match asks a program
that waits there for games.

The connection is neither secret nor protected: with --address, everyone who
reaches it can ask for games.

Examples:
  crownhead dxp --variant frisian
  crownhead dxp ab:bundled,threads=2 --variant frisian --address 0.0.0.0
  crownhead match bundled dxp:localhost --variant frisian --time 300+0 --pairs 5"
)]
pub(crate) struct DxpArgs {
    #[command(flatten)]
    partner: PartnerArgs,
    /// The address to wait at: that of this machine for programs on others
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = dxp::PORT)]
    port: u16,
    /// End when the first program leaves
    #[arg(long)]
    once: bool,
}

impl DxpArgs {
    /// Plays until Ctrl-C.
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let loaded = self.partner.spec()?.load()?;
        let variant = loaded.dxp_game(self.partner.game.variant)?;
        let mut analyzer = loaded.analyzer(&[variant])?;
        let (ip, port) = (self.address, self.port);
        let listener = TcpListener::bind((ip, port)).with_context(|| {
            format!("failed to listen at {ip}, port {port}: choose another --port")
        })?;
        let address = listener.local_addr()?.to_string();
        result_line!(
            output,
            { address: address, variant: variant.name() },
            "Waiting at {address} for games of {variant} (Ctrl-C ends it)"
        )?;
        let name = format!("Crownhead {}", loaded.name);
        for stream in listener.incoming() {
            // A client that disconnects at once is no reason to stop.
            let Ok(stream) = stream else { continue };
            let mut written = Ok(());
            let played = Connection::new(stream).and_then(|mut connection| {
                let after_game = &mut |game: &PlayedGame| {
                    written = output.result(&PartnerGame::from(game));
                };
                serve(&mut connection, &name, variant, &mut *analyzer, after_game)
            });
            if let Err(error) = played {
                note!("the connection was closed: {error}");
            }
            written?;
            if self.once {
                break;
            }
        }
        Ok(())
    }
}
