//! `crownhead hub`: runs a player as an engine for other programs.

use std::io::{self, BufReader};

use engine::hub::{Frame, Identity, Version, serve};

use roster::AdjustableAnalyzer;
use run::RequestError;

use crate::options::PartnerArgs;
use crate::output::Output;

/// Run a player as a Hub engine on standard input and output
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("variant", |arg| arg.help("The game to begin with, for players of several games")),
    after_help = "\
The protocol is Hub, version 2, or 1 with --protocol 1. An engine of a network
plays one game; others play all, and the client chooses with the parameter
`variant`. Depth is the length of the principal variation and a node a
simulation; alpha-beta search counts plies and positions. A score is in men.
Without a level the engine thinks one second a move.

The parameter `lines` says how many lines `go analyze` finds, up to 10. Each is
an `info`, the best one last; the others have a key of their own, `line=2` and
so on.

The parameters `threads`, `hash` (megabytes), `elo`, `endgames` (a folder) and
`book` (a file) are the player's options of these names, where it has them; 0 or
nothing is the usual value. With `elo` only the book counts: it sets all else.
Moves that are to be played come from the book first; analysis does not use it.

Hub knows only games where White moves first. Where Black does, pydraughts
writes positions (not moves) from the first player's view: turned by 180
degrees, colors swapped. The engine expects that unless the parameter
`english-frame` or the option says native.

Examples:
  crownhead hub --variant thai
  crownhead hub run:runs/english
  crownhead hub run:runs/frisian@40,sims=200
  crownhead hub bundled,threads=2 --variant frisian
  crownhead hub ab:bundled,threads=2,hash=256 --variant english
  crownhead hub mcts:rollouts=1000 --variant thai
  crownhead hub --variant english --protocol 1     as JoclyBoard starts engines"
)]
pub(crate) struct HubArgs {
    #[command(flatten)]
    partner: PartnerArgs,
    /// The form of positions where Black moves first: pydraughts or native
    #[arg(long, value_name = "FRAME", default_value_t = Frame::Pydraughts)]
    english_frame: Frame,
    /// The version of the protocol: 1 for JoclyBoard and other old clients
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    protocol: u8,
}

impl HubArgs {
    /// Serves the client until it leaves. Standard output only carries the protocol.
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        if output.is_json() {
            let message = "hub speaks its own protocol: leave out --format";
            anyhow::bail!(RequestError(message.to_owned()));
        }
        let spec = self.partner.spec()?;
        let loaded = spec.load()?;
        let variants = loaded.games_from(self.partner.game.variant)?;
        let mut analyzer = AdjustableAnalyzer::new(spec, &loaded, &variants)?;
        let identity = Identity {
            // A client may split at every `=`.
            name: format!("Crownhead {}", loaded.name).replace('=', " "),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            variants,
            frame: self.english_frame,
            parameters: analyzer.parameters(),
        };
        let input = BufReader::new(io::stdin());
        let version = match self.protocol {
            1 => Version::One,
            _ => Version::Two,
        };
        Ok(serve(version, input, output, &identity, &mut analyzer)?)
    }
}
