//! Members: the players of an agent, one for each game.

mod ask;
mod make;
mod strength;

use ::alphabeta::Evaluation;
use engine::{AlphaBetaPlayer, Analyzer, Chooser, Player, SearchPlayer, SearchPlayerConfig};
use rules::Variant;
use search::{Cached, SearchConfig};
use types::{Seed, Strength};

use engine::defaults::{CACHE_MEMORY, USUAL_NODES, USUAL_SIMULATIONS};

use crate::shared::Shared;

pub use ask::Judgement;

/// The search of networks that come without a run: that of the command line's players.
pub fn usual_search() -> SearchPlayerConfig {
    SearchPlayerConfig::new(SearchConfig::usual().without_noise(), USUAL_SIMULATIONS)
}

/// The player of one game.
pub(crate) struct Member {
    name: String,
    variant: Variant,
    brain: Brain,
    strength: Strength,
    /// The player that chooses in its place when its strength is limited.
    held: Option<Chooser<Box<dyn Player>>>,
    seed: Seed,
}

enum Brain {
    AlphaBeta(Box<dyn AlphaBeta>),
    Tree(Box<Tree>),
    /// Any other player that analyses, with the nodes that it searches where nothing limits it.
    #[cfg(feature = "players")]
    Other(Box<dyn Analyzer>, Option<u64>),
}

/// Tree search, its evaluator alone, and its settings.
struct Tree {
    evaluator: Shared,
    search: SearchPlayerConfig,
    player: SearchPlayer<Cached<Shared>>,
}

/// Alpha-beta search with any evaluation.
trait AlphaBeta: Analyzer {
    /// Makes the next answer depend on its question alone.
    fn forget(&mut self, nodes: u64);
}

impl<E: Evaluation> AlphaBeta for AlphaBetaPlayer<E> {
    fn forget(&mut self, nodes: u64) {
        AlphaBetaPlayer::forget(self, nodes);
    }
}

impl Member {
    /// The name in results and messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The game that it plays.
    pub(crate) fn variant(&self) -> Variant {
        self.variant
    }

    /// The seed of the choices that it leaves to chance.
    pub(crate) fn seed(&self) -> Seed {
        self.seed
    }
}
