//! What plays.

mod hub;
mod source;
mod strength;

use std::sync::Arc;

use ::alphabeta::{Evaluation, MaterialBalance, Resources};
use engine::{
    AlphaBetaConfig, AlphaBetaPlayer, Analyzer, Choice, Chooser, Control, Findings, Player,
    SearchLimits, SearchPlayer, SearchPlayerConfig, Stopper, TREE_MEMORY, Task, Turn,
};
use model::{CpuEvaluator, InstructionSet, Model, Precision};
use rules::{Game, Move, Variant};
use search::{
    Batch, Cached, Evaluator, GumbelConfig, Mode, PuctConfig, Search, SearchConfig, Seed, Strength,
    Wdl,
};
use serde::Deserialize;

use crate::Error;
use crate::limits::Limits;
use crate::shared::Shared;

/// How a network that plays searches: as the command line's players do, which a test compares.
pub const SEARCH: SearchPlayerConfig = SearchPlayerConfig {
    few: SearchConfig {
        mode: Mode::Gumbel(GumbelConfig {
            considered_simulations: 2,
            gumbel_scale: 0.0,
            ..GumbelConfig::PAPER
        }),
        draw_score: 0.0,
    },
    many: SearchConfig {
        mode: Mode::Puct(PuctConfig::KATAGO),
        draw_score: 0.0,
    },
    simulations: USUAL_SIMULATIONS as u32,
    games_at_once: 32,
};

/// Simulations and positions a move where nothing is said.
const USUAL_SIMULATIONS: u64 = 64;
const USUAL_NODES: u64 = 100_000;
/// Bytes in which a network's evaluations are remembered.
const CACHE_MEMORY: usize = 8 << 20;
/// Bytes of the trees of games that are searched together.
const TREES_MEMORY: usize = 4 * TREE_MEMORY;
/// Megabytes and threads that may be asked for.
const MAX_HASH: usize = 65_536;
const MAX_THREADS: usize = 256;

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
    /// The rating that it is held back to, the player `random` having 0; its range is [`Agent::elo_range`].
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

/// What an agent thinks of a position without looking ahead.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The value, from the view of the side to move.
    pub value: Wdl,
    /// The probability of each legal move, the most likely first.
    pub policy: Vec<(Move, f32)>,
}

impl Agent {
    /// Tree search with a network.
    ///
    /// # Errors
    /// When the network cannot be computed, or its players do not have the strength asked for.
    pub fn network(
        name: impl Into<String>,
        model: &Model,
        options: &Options,
    ) -> Result<Self, Error> {
        let name = name.into();
        // The last of them is what all processors have.
        let portable = InstructionSet::available()
            .last()
            .filter(|_| options.portable);
        let instructions = portable.unwrap_or_else(InstructionSet::best);
        let evaluator = CpuEvaluator::with_instructions(
            model.variant,
            &model.config,
            &model.weights,
            options.precision,
            instructions,
        );
        let evaluator = evaluator.map_err(|source| Error::Model {
            name: name.clone(),
            source,
        })?;
        let agent = Self::with_evaluator(name, model.variant, Box::new(evaluator));
        agent.with_strength(&model.strength, options, |handicap, agent| {
            let Brain::Tree(tree) = &agent.brain else {
                return None;
            };
            let cached = Cached::new(tree.evaluator.clone(), CACHE_MEMORY);
            let config = SearchPlayerConfig {
                simulations: handicap.nodes,
                ..SEARCH
            };
            let player = SearchPlayer::new(agent.name.clone(), cached, config);
            Some(Box::new(player.with_temperature(handicap.temperature)))
        })
    }

    /// Tree search with any evaluator, such as a network of another program.
    pub fn with_evaluator(
        name: impl Into<String>,
        variant: Variant,
        evaluator: Box<dyn Evaluator + Send>,
    ) -> Self {
        let (name, evaluator) = (name.into(), Shared::new(evaluator));
        let cached = Cached::new(evaluator.clone(), CACHE_MEMORY);
        let player = SearchPlayer::new(name.clone(), cached, SEARCH);
        Self {
            name,
            variant,
            brain: Brain::Tree(Box::new(Tree { evaluator, player })),
            strength: Strength::default(),
            held: None,
            seed: Seed::new(0),
        }
    }

    /// Alpha-beta search with a learned evaluation.
    ///
    /// # Errors
    /// When players with this evaluation do not have the strength asked for.
    pub fn evaluation(
        name: impl Into<String>,
        network: nnue::Network,
        options: &Options,
    ) -> Result<Self, Error> {
        let (variant, network) = (network.variant(), Arc::new(network));
        let agent = Self::alpha_beta(name.into(), variant, Arc::clone(&network), options);
        agent.with_strength(network.strength(), options, |handicap, agent| {
            let config = AlphaBetaConfig {
                nodes: Some(handicap.nodes.into()),
                ..alpha_beta_config(&Options {
                    threads: 1,
                    ..*options
                })
            };
            let player = AlphaBetaPlayer::new(agent.name.clone(), Arc::clone(&network), config);
            Some(Box::new(player.with_temperature(handicap.temperature)))
        })
    }

    /// Alpha-beta search that counts material: it plays every variant without having learned any.
    pub fn material(variant: Variant, options: &Options) -> Self {
        Self::alpha_beta("material".to_owned(), variant, MaterialBalance, options)
    }

    fn alpha_beta<E: Evaluation + 'static>(
        name: String,
        variant: Variant,
        evaluation: E,
        options: &Options,
    ) -> Self {
        let player = AlphaBetaPlayer::new(name.clone(), evaluation, alpha_beta_config(options));
        Self {
            name,
            variant,
            brain: Brain::AlphaBeta(Box::new(player)),
            strength: Strength::default(),
            held: None,
            seed: Seed::new(0),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The game that it plays.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    fn check(&self, game: &Game) -> Result<(), Error> {
        let asked = game.position().variant();
        match asked == self.variant {
            true => Ok(()),
            false => Err(Error::OtherGame {
                name: self.name.clone(),
                plays: self.variant,
                asked,
            }),
        }
    }

    /// The limits to choose by: the usual number of nodes where nothing limits.
    fn or_usual(&self, limits: &Limits) -> Limits {
        let usual = match self.brain {
            Brain::AlphaBeta(_) => USUAL_NODES,
            Brain::Tree(_) => USUAL_SIMULATIONS,
        };
        Limits {
            nodes: limits.nodes.or(limits.is_endless().then_some(usual)),
            ..*limits
        }
    }

    /// Chooses a move. Without limits it makes 100,000 nodes or 64 simulations; without a limit of time the
    /// choice depends on the game and the limits alone. An agent that is held back thinks as its strength says,
    /// whatever the limits; its choice depends on the game and its seed.
    ///
    /// # Errors
    /// When the game is over or another one, when limits are out of range, or the evaluator fails.
    pub fn choose(&mut self, game: &Game, limits: &Limits) -> Result<Choice, Error> {
        self.choose_until(game, limits, Arc::new(Control::running()))
    }

    /// [`choose`](Agent::choose) that `control` can stop; its clock counts.
    ///
    /// # Errors
    /// As [`choose`](Agent::choose), and when a network with a limit of nodes alone is stopped before it has made
    /// them.
    pub fn choose_until(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: Arc<Control>,
    ) -> Result<Choice, Error> {
        let limits = Limits {
            lines: None,
            ..self.or_usual(limits)
        };
        let limits = limits.checked()?;
        if let Some(outcome) = game.outcome() {
            return Err(Error::Over { outcome });
        }
        self.check(game)?;
        if let [mv] = game.legal_moves()[..] {
            return Ok(Choice {
                mv,
                value: None,
                nodes: 0,
            });
        }
        match &mut self.brain {
            _ if self.held.is_some() => {}
            Brain::AlphaBeta(player) if limits.time.is_none() => {
                player.forget(limits.nodes.unwrap_or(u64::MAX));
            }
            // As in a match, bit for bit: analysis keeps its tree and looks at several leaves at once.
            Brain::Tree(_)
                if limits.time.is_none() && limits.depth.is_none() && fits(limits.nodes) =>
            {
                let games = std::slice::from_ref(game);
                return Ok(self.choose_many_until(games, limits.nodes, control)?[0]);
            }
            Brain::AlphaBeta(_) => {}
            Brain::Tree(tree) => tree.player.forget(),
        }
        let findings = self.think(game, limits, control, &mut |_| {})?;
        let best = findings.best();
        Ok(Choice {
            mv: best.moves[0],
            value: best.value,
            nodes: findings.nodes,
        })
    }

    /// Chooses a move in each of many games by so many nodes, all at once: a network sees full batches.
    ///
    /// # Errors
    /// As [`choose`](Agent::choose).
    pub fn choose_many(
        &mut self,
        games: &[Game],
        nodes: Option<u64>,
    ) -> Result<Vec<Choice>, Error> {
        self.choose_many_until(games, nodes, Arc::new(Control::running()))
    }

    /// [`choose_many`](Agent::choose_many) that `control` can stop.
    ///
    /// # Errors
    /// As [`choose_until`](Agent::choose_until).
    pub fn choose_many_until(
        &mut self,
        games: &[Game],
        nodes: Option<u64>,
        control: Arc<Control>,
    ) -> Result<Vec<Choice>, Error> {
        let limits = Limits {
            nodes,
            ..Limits::default()
        };
        let tree = match &mut self.brain {
            Brain::Tree(tree) if self.held.is_none() && fits(nodes) => tree,
            _ => {
                let chosen = games
                    .iter()
                    .map(|game| self.choose_until(game, &limits, Arc::clone(&control)));
                return chosen.collect();
            }
        };
        limits.checked()?;
        let (evaluator, nodes) = (tree.evaluator.clone(), nodes.unwrap_or(USUAL_SIMULATIONS));
        for game in games {
            self.check(game)?;
            if let Some(outcome) = game.outcome() {
                return Err(Error::Over { outcome });
            }
        }
        let simulations = nodes.try_into().unwrap_or(u32::MAX);
        let together = TREES_MEMORY / Search::memory_for(simulations);
        let config = SearchPlayerConfig {
            simulations,
            games_at_once: together.clamp(1, SEARCH.games_at_once),
            ..SEARCH
        };
        let turn = |game| Turn {
            game,
            seed: self.seed,
            time: None,
        };
        let turns: Vec<Turn<'_>> = games.iter().map(turn).collect();
        let mut choices = Vec::new();
        let stopper = Stopper {
            limits: SearchLimits::default(),
            control,
        };
        let cached = Cached::new(evaluator.until(stopper.clone()), CACHE_MEMORY);
        let mut player = SearchPlayer::new(self.name.clone(), cached, config);
        match player.choose(&turns, &mut choices) {
            Err(_) if stopper.is_over(0) => Err(Error::Stopped),
            chosen => Ok(chosen.map(|()| choices)?),
        }
    }

    /// Analyses a position, several lines if the limits say so, until a limit is reached or `control` stops
    /// it. `report` hears of everything that is found on the way. The search remembers what it saw before. One that
    /// is held back finds nothing but its choice.
    ///
    /// # Errors
    /// When there is no legal move, the game is another one, limits are out of range, or the evaluator fails.
    pub fn analyse(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: Arc<Control>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, Error> {
        self.search(game, limits.checked()?, control, report)
    }

    /// [`analyse`](Agent::analyse) with the engine's own limits, of which a clock is one.
    ///
    /// # Errors
    /// As [`analyse`](Agent::analyse).
    pub fn search(
        &mut self,
        game: &Game,
        limits: SearchLimits,
        control: Arc<Control>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, Error> {
        self.check(game)?;
        self.think(game, limits, control, report)
    }

    fn think(
        &mut self,
        game: &Game,
        limits: SearchLimits,
        control: Arc<Control>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, Error> {
        let task = Task {
            game,
            seed: self.seed,
            stopper: Stopper { limits, control },
        };
        Ok(self.analyzer().analyze(&task, report)?)
    }

    fn analyzer(&mut self) -> &mut dyn Analyzer {
        match (&mut self.held, &mut self.brain) {
            (Some(held), _) => held,
            (None, Brain::AlphaBeta(player)) => player.as_mut(),
            (None, Brain::Tree(tree)) => &mut tree.player,
        }
    }

    /// What the position is worth to the side to move, without looking ahead: what a network says, or what
    /// alpha-beta search says of it at depth 1, behind all captures.
    ///
    /// # Errors
    /// When the game is another one or the evaluator fails.
    pub fn value(&mut self, game: &Game) -> Result<Wdl, Error> {
        self.check(game)?;
        if let Some(outcome) = game.outcome() {
            return Ok(match outcome.winner() {
                Some(winner) if winner == game.position().turn() => Wdl::WIN,
                Some(_) => Wdl::LOSS,
                None => Wdl::DRAW,
            });
        }
        if let Brain::Tree(_) = self.brain {
            return Ok(self.judge(std::slice::from_ref(game))?[0].value);
        }
        let limits = SearchLimits {
            depth: Some(1),
            ..SearchLimits::default()
        };
        let (control, held) = (Arc::new(Control::pondering()), self.held.take());
        let findings = self.think(game, limits, control, &mut |_| {});
        self.held = held;
        let findings = findings?;
        Ok(findings.best().value.unwrap_or(Wdl::DRAW))
    }

    /// What a network says of positions, in one batch.
    ///
    /// # Errors
    /// When a game is over or another one, the agent has no network, or the evaluator fails.
    pub fn judge(&mut self, games: &[Game]) -> Result<Vec<Judgement>, Error> {
        let mut batch = Batch::new();
        for game in games {
            self.check(game)?;
            if let Some(outcome) = game.outcome() {
                return Err(Error::Over { outcome });
            }
            batch.push(game.position(), game.repetitions(), &game.legal_moves());
        }
        let Brain::Tree(tree) = &mut self.brain else {
            return Err(Error::NoPolicy {
                name: self.name.clone(),
            });
        };
        tree.evaluator.evaluate(&mut batch)?;
        let judgement = |index| {
            let (value, logits) = batch.reply(index)?;
            let mut policy: Vec<(Move, f32)> = batch
                .request(index)
                .moves
                .to_vec()
                .into_iter()
                .zip(softmax(logits))
                .collect();
            policy.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            Ok(Judgement { value, policy })
        };
        (0..batch.len()).map(judgement).collect()
    }
}

fn alpha_beta_config(options: &Options) -> AlphaBetaConfig {
    AlphaBetaConfig {
        resources: Resources {
            table_bytes: options.hash.max(1) << 20,
            threads: options.threads.max(1),
        },
        depth: None,
        nodes: None,
        usual_nodes: USUAL_NODES,
    }
}

/// Whether so many nodes are a tree that is made at once. A search of more goes on as analysis does, in
/// [`TREE_MEMORY`].
fn fits(nodes: Option<u64>) -> bool {
    let most = TREE_MEMORY / Search::memory_for(1);
    nodes.is_none_or(|nodes| nodes <= 32 * most as u64)
}

fn softmax(logits: &[f32]) -> Vec<f32> {
    let greatest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = logits
        .iter()
        .map(|logit| (logit - greatest).exp())
        .collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}
