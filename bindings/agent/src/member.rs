//! Members: the players of an agent, one per game.

mod ask;
mod make;
mod strength;

use std::sync::Arc;

use engine::{Analyzer, Chooser, SearchPlayer, SearchPlayerConfig};
use rules::Variant;
use search::{Cached, SearchConfig};
use types::{Seed, Strength};

use engine::defaults::{CACHE_MEMORY, USUAL_NODES, USUAL_SIMULATIONS};

use crate::shared::Shared;

pub use ask::Judgment;

/// Search settings of networks without a run, the same as on the command line.
pub fn usual_search() -> SearchPlayerConfig {
    SearchPlayerConfig::new(SearchConfig::usual().without_noise(), USUAL_SIMULATIONS)
}

/// The player of one game.
pub(crate) struct Member {
    /// Name in results and messages.
    pub(crate) name: String,
    /// The game it plays.
    pub(crate) variant: Variant,
    kind: PlayerKind,
    /// The ratings to which its strength can be limited, if they were measured.
    pub(crate) strength: Strength,
    /// The player used instead if the strength is limited.
    limited: Option<Chooser>,
    /// The seed of its random choices.
    pub(crate) seed: Seed,
}

pub(crate) enum PlayerKind {
    AlphaBeta(Box<dyn Analyzer>),
    Tree(Box<Tree>),
    /// Any other player that can analyse, with its default number of nodes.
    #[cfg(feature = "players")]
    Other(Box<dyn Analyzer>, Option<u64>),
}

/// The search of a network.
pub(crate) struct TreeSearch {
    pub(crate) config: SearchPlayerConfig,
    /// The evaluation that the search asks too.
    pub(crate) evaluation: Option<Arc<nnue::Network>>,
}

impl Default for TreeSearch {
    fn default() -> Self {
        Self {
            config: usual_search(),
            evaluation: None,
        }
    }
}

/// Tree search, its evaluator, and its settings.
pub(crate) struct Tree {
    network: Shared,
    /// The network, with the evaluation if there is one.
    evaluator: Shared,
    search: SearchPlayerConfig,
    player: SearchPlayer<Cached<Shared>>,
}
