//! The player that other programs play.

use roster::PlayerSpec;
use rules::Variant;

use super::GameOption;
use crate::complete;

/// A player for other programs, and its game.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct PartnerArgs {
    /// The player: run:DIR, run:DIR@42, model:DIR, bundled, ab:DIR, ab:bundled, mcts:rollouts=N,
    /// alphabeta:depth=N or random; by default the strongest of the game, ab:bundled
    #[arg(value_name = "PLAYER", add = complete::players())]
    player: Option<PlayerSpec>,
    #[command(flatten)]
    pub(crate) game: GameOption,
}

impl PartnerArgs {
    /// The named player; by default the strongest of the game, or of every game.
    pub(crate) fn spec(&self) -> roster::Result<PlayerSpec> {
        if let Some(player) = &self.player {
            return Ok(player.clone());
        }
        let strongest = self.game.variant.map_or("ab:bundled", Variant::name);
        Ok(strongest.parse()?)
    }
}
