//! Players of matches: what the command line calls them, and how they are made.

mod at_most;
mod by_game;
mod contender;
mod guest;
mod offered;
mod options;
mod partner;
mod search_options;
mod spec;
mod strength;

use engine::{Player, SearchPlayer, SearchPlayerConfig};
use eval::PlayerFactory;

use crate::evaluators::Evaluators;

pub use contender::Contender;
pub use offered::OfferedPlayers;
pub use options::Effort;
pub use partner::PartnerGame;
pub use spec::{PlayerSpec, load_contenders, load_players};
pub use strength::rate;

/// Pairs of games that a thread plays side by side: enough for full batches.
pub const PAIRS_AT_ONCE: usize = 16;

/// A network as one side of a match.
pub fn network(
    name: String,
    evaluators: Evaluators,
    config: SearchPlayerConfig,
) -> PlayerFactory<'static> {
    let player_name = name.clone();
    PlayerFactory::new(name, move || {
        let net = SearchPlayer::new(player_name.clone(), evaluators.get(), config);
        let player: Box<dyn Player> = Box::new(net);
        Ok(player)
    })
}
