//! Players of matches: what the command line calls them, and how they are made.

mod at_most;
mod by_game;
mod conditions;
mod contender;
mod options;
mod spec;

use std::sync::Arc;

use engine::{Player, SearchPlayer, SearchPlayerConfig};
use eval::PlayerFactory;
use search::Prover;

use crate::evaluators::Evaluators;

pub(crate) use conditions::{Conditions, audit_in_words};
pub(crate) use contender::Contender;
pub(crate) use options::Effort;
pub(crate) use spec::{PlayerSpec, common_variant};

/// Pairs of games that a thread plays side by side: enough for full batches.
pub(crate) const PAIRS_AT_ONCE: usize = 16;

/// A network as one side of a match, with what it knows for certain.
pub(crate) fn network(
    name: String,
    evaluators: Evaluators,
    config: SearchPlayerConfig,
    prover: Option<Arc<dyn Prover>>,
) -> PlayerFactory<'static> {
    let player_name = name.clone();
    PlayerFactory::new(name, move || {
        let net = SearchPlayer::new(player_name.clone(), evaluators.get(), config);
        let player: Box<dyn Player> = Box::new(net.with_prover(prover.clone()));
        Ok(player)
    })
}
