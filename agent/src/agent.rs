//! What plays.

mod ask;
mod hub;
mod make;
mod source;
mod strength;

use ::alphabeta::Evaluation;
use engine::{AlphaBetaPlayer, Analyzer, Chooser, Player, SearchPlayer, SearchPlayerConfig};
use model::{InstructionSet, Precision};
use rules::Variant;
use search::{Cached, SearchConfig};
use serde::Deserialize;
use types::{Seed, Strength};

use crate::Error;
use crate::shared::Shared;

pub use ask::Judgement;

/// How a network that plays searches: as the command line's players do, which a test compares.
pub fn usual_search() -> SearchPlayerConfig {
    let search = SearchConfig::usual().without_noise();
    SearchPlayerConfig::new(search, USUAL_SIMULATIONS as u32)
}

/// Simulations and positions a move where nothing is said.
const USUAL_SIMULATIONS: u64 = 64;
const USUAL_NODES: u64 = 100_000;
/// Bytes in which a network's evaluations are remembered.
const CACHE_MEMORY: usize = 8 << 20;
/// Megabytes that may be asked for; WebAssembly has four thousand.
const MAX_HASH: usize = if IS_WASM { 1024 } else { 65_536 };
/// Threads that may be asked for; WebAssembly has none but the one that asks.
const MAX_THREADS: usize = if IS_WASM { 1 } else { 256 };
const IS_WASM: bool = cfg!(target_family = "wasm");

/// What an agent may use.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Megabytes of the transposition table of alpha-beta search.
    pub hash: usize,
    /// Threads of one alpha-beta search; with more than one, answers vary.
    pub threads: usize,
    /// The numbers in which a network is computed.
    pub precision: Precision,
    /// Whether a network is computed by what all processors have: slower, with the same answers everywhere.
    pub portable: bool,
    /// The playing strength that it is limited to, in Elo above random; its range is [`Agent::elo_range`].
    pub elo: Option<f64>,
    /// Decides what an agent that is held back leaves to chance: the same seed gives the same choice in the same
    /// position at the same ply. Others leave nothing to chance.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash: 64,
            threads: 1,
            precision: Precision::Int8.by(InstructionSet::best()),
            portable: false,
            elo: None,
            seed: 0,
        }
    }
}

impl Options {
    /// Whether they can be given: too large a table would end the process.
    fn check(&self) -> Result<(), Error> {
        let refuse = |name, found, most| {
            Err(Error::Limits(format!(
                "{name} is {found}: write {most} or less"
            )))
        };
        match *self {
            Options { hash, .. } if hash > MAX_HASH => refuse("hash", hash, MAX_HASH),
            Options { threads, .. } if threads > MAX_THREADS => {
                refuse("threads", threads, MAX_THREADS)
            }
            _ => Ok(()),
        }
    }
}

/// Plays one game: a network with tree search, or alpha-beta search with an evaluation.
pub struct Agent {
    name: String,
    variant: Variant,
    brain: Brain,
    strength: Strength,
    /// What chooses in its place when it is held back.
    held: Option<Chooser<Box<dyn Player>>>,
    seed: Seed,
}

enum Brain {
    AlphaBeta(Box<dyn AlphaBeta>),
    Tree(Box<Tree>),
}

/// Tree search, and its evaluator alone.
struct Tree {
    evaluator: Shared,
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

impl Agent {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The game that it plays.
    pub fn variant(&self) -> Variant {
        self.variant
    }
}
