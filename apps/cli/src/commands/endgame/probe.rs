//! `crownhead endgame probe`.

use lab::endgames::Probed;

use crate::options::{EndgamesArg, GameArg};
use crate::output::Output;

/// Look a position up, and the results of its moves
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("endgames", |arg| arg.alias("dir")),
    after_help = "\
A value is that of the side to move. It is settled if it holds although the
database knows nothing of counters: draws are, and wins that take no more plies
than the counter leaves. Earlier repetitions are not considered.

Examples:
  crownhead endgame probe english --fen 'W:WK14,K15:BK1'
  crownhead endgame probe english --fen 'B:WK14,K15:BK1' --format json"
)]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    game: GameArg,
    /// The position
    #[arg(long)]
    fen: String,
    #[command(flatten)]
    endgames: EndgamesArg,
}

impl ProbeArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let variant = self.game.variant();
        let position = crate::commands::position(variant, Some(&self.fen))?;
        let database = roster::endgames::read(&self.endgames.endgames, variant)?;
        output.result(&Probed::new(&database, &position)?)
    }
}
