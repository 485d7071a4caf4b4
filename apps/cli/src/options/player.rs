//! The player that other programs play.

use roster::PlayerSpec;

use super::GameOption;
use crate::complete;

/// A player for other programs, and its game.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct PartnerArgs {
    /// The player: bundled, run:DIR, run:DIR@42, model:DIR, ab:DIR, ab:bundled, mcts:rollouts=N,
    /// alphabeta:depth=N or random
    #[arg(default_value = "bundled", value_name = "PLAYER", add = complete::players())]
    pub(crate) player: PlayerSpec,
    #[command(flatten)]
    pub(crate) game: GameOption,
}
