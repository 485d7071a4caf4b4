//! Players of matches: what the command line calls them, and how they are made.

mod at_most;
mod by_game;
mod contender;
mod options;
mod spec;

use engine::{NetPlayer, NetPlayerConfig, Player};
use eval::Entrant;

use crate::evaluators::Evaluators;

pub(crate) use contender::Contender;
pub(crate) use options::Effort;
pub(crate) use spec::{PlayerSpec, common_variant};

/// Pairs of games that a thread plays side by side: enough for full batches.
pub(crate) const PAIRS_AT_ONCE: usize = 16;

/// A network as one side of a match.
pub(crate) fn network(
    name: String,
    evaluators: Evaluators,
    config: NetPlayerConfig,
) -> Entrant<'static> {
    let player_name = name.clone();
    Entrant::new(name, move || {
        let player: Box<dyn Player> = Box::new(NetPlayer::new(
            player_name.clone(),
            evaluators.get(),
            config,
        ));
        Ok(player)
    })
}
