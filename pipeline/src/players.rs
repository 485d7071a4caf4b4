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

use std::sync::Arc;

use engine::{Player, SearchPlayer, SearchPlayerConfig};
use eval::PlayerFactory;
use search::{Handicap, Prover};

use crate::evaluators::Evaluators;

pub use contender::Contender;
pub use offered::OfferedPlayers;
pub use options::Effort;
pub use partner::PartnerGame;
pub use spec::{PlayerSpec, load_contenders, load_players};
pub use strength::rate;

/// Pairs of games that a thread plays side by side: enough for full batches.
pub const PAIRS_AT_ONCE: usize = 16;

/// A network as one side of a match, with so many threads for one position and with what it knows for
/// certain.
pub fn network(
    name: String,
    evaluators: Evaluators,
    threads: usize,
    config: SearchPlayerConfig,
    prover: Option<Arc<dyn Prover>>,
    handicap: Option<Handicap>,
) -> PlayerFactory<'static> {
    let player_name = name.clone();
    PlayerFactory::new(name, move || {
        let net = SearchPlayer::new(player_name.clone(), evaluators.get(), config)
            .with_helpers((1..threads).map(|_| evaluators.get()))?
            .with_handicap(handicap);
        let player: Box<dyn Player> = Box::new(net.with_prover(prover.clone()));
        Ok(player)
    })
}
