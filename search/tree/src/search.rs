//! The search of one position as a state machine, so that many searches can share batches.

mod follow;
mod gather;
mod ranking;
mod result;
mod simulate;

use std::sync::Arc;

use rand::Rng;
use rules::{Game, MoveList};
use types::Wdl;

use crate::backup::{Followed, back_up, draw_score_at};
use crate::config::{Mode, SearchConfig};
use crate::formulas::Weights;
use crate::node_id::NodeId;
use crate::root::Root;
use crate::select::q_of;
use crate::tree::Tree;
use crate::{Batch, EvaluatorError, Prover};
use simulate::Descent;

pub use ranking::RankedMove;
pub use result::{SearchResult, Stop};

/// A search with one tree, reused from move to move.
///
/// ```
/// use rand::SeedableRng;
/// use rules::{Game, Position, Variant};
/// use search::{Batch, Search, SearchConfig, Uniform, search_all};
///
/// let mut searches = [Search::new(SearchConfig::usual(), Search::memory_for(32))];
/// let game = Game::new(Position::start(Variant::English));
/// searches[0].begin(&game, 32, &mut rand_chacha::ChaCha8Rng::seed_from_u64(1));
/// search_all(&mut searches, &mut Uniform, &mut Batch::new())?;
/// let result = searches[0].result();
/// assert_eq!(result.visits.iter().sum::<u32>(), 32);
/// # Ok::<(), search::EvaluatorError>(())
/// ```
pub struct Search {
    config: SearchConfig,
    weights: Weights,
    prover: Option<Arc<dyn Prover>>,
    tree: Tree,
    root: Root,
    state: State,
    /// The simulation budget.
    budget: u64,
    simulations: u64,
    /// Simulations waiting for leaves in a [`Flight`](crate::Flight).
    in_flight: u32,
    evaluations: u64,
    max_depth: usize,
    /// Hashes of the game's positions up to the root, for repetitions.
    history: Vec<u64>,
    /// The path of the simulation that waits for an evaluation.
    path: Vec<Followed>,
    /// Spare paths, kept for their buffers.
    spare_paths: Vec<Vec<Followed>>,
    /// Empty except while leaves are gathered; kept for the buffers.
    descents: Vec<Descent>,
    parted: Vec<Descent>,
    legal_moves: MoveList,
    policy: Vec<f32>,
}

/// The state of a search.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// No search has begun.
    Idle,
    /// The next `step` simulates.
    Ready,
    /// Waiting for the evaluation of this node.
    Waiting { leaf: NodeId, repetitions: u32 },
    /// The search is over.
    Finished(Stop),
}

impl Search {
    /// An idle search whose tree is allocated here and takes at most `memory_bytes`. A search that
    /// fills it ends early with [`Stop::Memory`].
    pub fn new(config: SearchConfig, memory_bytes: usize) -> Search {
        Search {
            config,
            weights: Weights::new(&config),
            prover: None,
            tree: Tree::with_memory(memory_bytes),
            root: Root::default(),
            state: State::Idle,
            budget: 0,
            simulations: 0,
            in_flight: 0,
            evaluations: 0,
            max_depth: 0,
            history: Vec::new(),
            path: Vec::new(),
            spare_paths: Vec::new(),
            descents: Vec::new(),
            parted: Vec::new(),
            legal_moves: MoveList::new(),
            policy: Vec::new(),
        }
    }

    /// The memory in bytes that suffices for this many simulations: three nodes each, since forced
    /// moves take nodes too, and small trees of endgames with several flying kings have many edges.
    pub fn memory_for(simulations: u32) -> usize {
        let nodes = (simulations as usize).saturating_mul(3).saturating_add(96);
        nodes.saturating_mul(Tree::BYTES_PER_NODE)
    }

    /// Changes the settings before the next search; a change discards the tree.
    pub fn set_config(&mut self, config: SearchConfig) {
        if self.config != config {
            (self.config, self.weights) = (config, Weights::new(&config));
            self.state = State::Idle;
        }
    }

    /// Sets a prover; nodes that it proves are leaves. The root is always searched, because a move
    /// must be chosen.
    #[must_use]
    pub fn with_prover(mut self, prover: Option<Arc<dyn Prover>>) -> Search {
        self.prover = prover;
        self
    }

    /// Starts a search of a game's current position. All random numbers are drawn here.
    ///
    /// In Gumbel mode sequential halving is scheduled for `simulations`; a search stopped earlier
    /// has spread its visits over too many moves.
    ///
    /// With a single legal move the search ends immediately, without an evaluation. A position in
    /// which a draw rule has ended the game is searched as if the game continued.
    ///
    /// # Panics
    ///
    /// If there is no legal move.
    pub fn begin(&mut self, game: &Game, simulations: u32, rng: &mut impl Rng) {
        let position = game.position();
        position.generate(&mut self.legal_moves);
        assert!(
            !self.legal_moves.is_empty(),
            "no legal move in {}",
            position.to_fen()
        );
        self.tree.restart(*position, &self.legal_moves);
        self.root.begin(&self.config, self.legal_moves.len(), rng);
        self.set_out(game, simulations);
        if self.legal_moves.len() > 1 {
            self.state = State::Waiting {
                leaf: self.tree.root(),
                repetitions: game.repetitions(),
            };
        }
    }

    /// Prepares for simulations from the root, which is the current position of this game.
    fn set_out(&mut self, game: &Game, simulations: u32) {
        self.history.clear();
        self.history.extend_from_slice(game.earlier_hashes());
        self.history.push(game.position().hash());
        self.path.clear();
        (self.budget, self.simulations, self.in_flight) = (simulations.into(), 0, 0);
        (self.evaluations, self.max_depth) = (0, 0);
        self.state = match self.tree.edges(self.tree.root()).len() {
            1 => State::Finished(Stop::Forced),
            _ => State::Ready,
        };
    }

    /// Adds simulations to a search that has completed its budget; does nothing otherwise. The tree
    /// is kept.
    ///
    /// In Gumbel mode a new schedule of `simulations` starts with all open moves, so a search of
    /// unknown length is a series of complete schedules.
    pub fn extend(&mut self, simulations: u32) {
        if self.state != State::Finished(Stop::Simulations) {
            return;
        }
        self.budget += u64::from(simulations);
        if self.config.mode == Mode::Gumbel {
            self.root
                .start_halving(&self.config, simulations, &self.tree);
        }
        self.state = State::Ready;
    }

    /// Runs until an evaluation is needed, which is requested in `batch`, or until the search is
    /// over. Returns the request, whose reply [`absorb`](Search::absorb) needs; `None` when the
    /// search is over. An evaluation that was never absorbed is requested again.
    pub fn step(&mut self, batch: &mut Batch) -> Option<usize> {
        while self.state == State::Ready {
            self.state = self.simulate();
        }
        let State::Waiting { leaf, repetitions } = self.state else {
            return None;
        };
        let position = &self.tree.node(leaf).position;
        Some(batch.push(position, repetitions, self.tree.moves(leaf)))
    }

    /// True if the search is waiting for a reply.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting { .. })
    }

    /// Absorbs the reply to the request of [`step`](Search::step).
    ///
    /// # Errors
    ///
    /// If the reply is missing or not finite.
    ///
    /// # Panics
    ///
    /// If the search is not waiting for a reply.
    pub fn absorb(&mut self, batch: &Batch, request: usize) -> Result<(), EvaluatorError> {
        let State::Waiting { leaf, .. } = self.state else {
            panic!("no reply was asked for");
        };
        let (value, logits) = batch.reply(request)?;
        let path = std::mem::take(&mut self.path);
        self.evaluated(&path, leaf, value, logits);
        self.path = path;
        self.state = State::Ready;
        Ok(())
    }

    /// Expands the leaf at the end of a path with the evaluator's reply and backs it up.
    fn evaluated(&mut self, path: &[Followed], leaf: NodeId, value: Wdl, logits: &[f32]) {
        let temperature = self.config.policy_temperature();
        self.tree.set_priors(leaf, logits, temperature);
        let draw_score = draw_score_at(self.config.draw_score, path.len());
        self.tree.node_mut(leaf).raw_q = q_of(value, draw_score);
        self.evaluations += 1;
        back_up(&mut self.tree, path, leaf, value, 1, self.config.draw_score);
        if leaf == self.tree.root() {
            let left = self.left();
            self.root
                .evaluated(&self.config, left, value, &mut self.tree);
        } else {
            self.simulations += 1;
        }
    }

    /// Simulations completed so far.
    pub fn simulations(&self) -> u64 {
        self.simulations
    }

    /// Simulations remaining.
    fn left(&self) -> u32 {
        let left = self.budget - self.simulations;
        left.try_into().unwrap_or(u32::MAX)
    }
}
