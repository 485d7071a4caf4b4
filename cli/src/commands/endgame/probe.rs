//! `crownhead endgame probe`.

use lab::endgames::Probed;
use rules::Variant;

use super::Place;
use crate::output::Output;

/// Look a position up, and what each of its moves leads to
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A value is that of the side to move. It is settled if it holds although the database knows nothing of
counters: draws are, and wins that take no more plies than the counter leaves. Repetitions that have
happened before are not looked at.

Examples:
  crownhead endgame probe english --fen 'W:WK14,K15:BK1'
  crownhead endgame probe english --fen 'B:WK14,K15:BK1' --format json")]
pub(super) struct ProbeArgs {
    /// The game or ruleset
    variant: Variant,
    /// The position
    #[arg(long)]
    fen: String,
    #[command(flatten)]
    place: Place,
}

impl ProbeArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let position = crate::commands::position(self.variant, Some(&self.fen))?;
        let database = roster::endgames::read(&self.place.dir, self.variant)?;
        output.result(&Probed::new(&database, &position)?)
    }
}
