//! Players that are there: what they are made of has been read.

use std::sync::Arc;
use std::time::Duration;

use alphabeta::Resources;
use engine::dxp::{self, DxpPlayer, DxpPlayerConfig};
use engine::hub::{HubPlayer, HubPlayerConfig, Version};
use engine::{
    AlphaBetaConfig, AlphaBetaPlayer, Analyzer, Chooser, Player, SearchLimits, SearchPlayer,
    SearchPlayerConfig, TREE_MEMORY, TimeLeft,
};
use eval::{Baseline, PlayerFactory};
use rules::Variant;
use search::{EvaluatorError, Prover};
use store::Endgames;
use trainer::Compute;
use types::Handicap;

use super::at_most::AtMost;
use super::by_game::ByGame;
use super::options::{Effort, Options, minutes_of};
use super::spec::{PlayerSpec, Source};
use crate::config::RunConfig;
use crate::endgames;
use crate::evaluators::{Evaluators, InferenceNetwork, ThreadEvaluator};
use crate::models::LoadedModel;
use crate::{RequestError, Result};

/// Bytes of the transposition table of alpha-beta search, and positions a move, where nothing is said.
const TABLE_MEMORY: usize = 64 << 20;
const USUAL_NODES: u64 = 100_000;
/// How long an external engine may hang that plays without a clock.
const HUB_TIMEOUT: Duration = Duration::from_secs(60);
/// What an external engine is told to use for a move when nothing was said.
const HUB_MOVE_TIME: Duration = Duration::from_secs(1);
/// What a program that follows by DXP is told to use for a game, in minutes, when nothing was said.
const DXP_MINUTES: u32 = 5;

/// A player that is there: its files have been read.
pub struct Contender {
    /// The name in results. Says which model was meant by a run.
    pub name: String,
    /// The games that it plays.
    pub games: Vec<Variant>,
    pub(super) brain: Brain,
    pub(super) options: Options,
    /// What networks know for certain, in the games for which there is a database.
    pub(super) provers: Vec<(Variant, Arc<dyn Prover>)>,
}

pub(super) enum Brain {
    Baseline(Baseline),
    Mcts(u32),
    Hub(Version, String),
    Dxp(String),
    /// One for each game.
    Networks(Vec<LoadedModel>),
    /// One for each game.
    AlphaBeta(Vec<Arc<nnue::Network>>),
}

impl PlayerSpec {
    /// Reads what the player needs.
    pub fn load(&self) -> Result<Contender> {
        let (mut name, mut games) = (self.text.clone(), Variant::ALL.to_vec());
        let brain = match &self.source {
            Source::Baseline(baseline) => {
                games = baseline.games();
                Brain::Baseline(*baseline)
            }
            Source::Mcts(rollouts) => Brain::Mcts(*rollouts),
            Source::Hub(version, command) => Brain::Hub(*version, command.clone()),
            Source::Dxp(address) => {
                games.retain(|variant| dxp::carries(*variant));
                Brain::Dxp(address.clone())
            }
            Source::AlphaBeta(source) => {
                let evaluations = source.load_all()?;
                games = evaluations.iter().map(nnue::Network::variant).collect();
                Brain::AlphaBeta(evaluations.into_iter().map(Arc::new).collect())
            }
            Source::Network(source) => {
                let networks = source.load_all()?;
                if let [network] = &networks[..] {
                    name.clone_from(&network.name);
                }
                games = networks.iter().map(|loaded| loaded.model.variant).collect();
                Brain::Networks(networks)
            }
        };
        let mut contender = Contender {
            name: format!("{name}{}", self.options),
            brain,
            provers: self.provers(&games)?,
            games,
            options: self.options.clone(),
        };
        contender.keep_games_of_its_strength()?;
        Ok(contender)
    }

    /// What the player's endgame databases prove. There must be one for a player of one game; one of
    /// many games plays the others without.
    fn provers(&self, games: &[Variant]) -> Result<Vec<(Variant, Arc<dyn Prover>)>> {
        let Some(dir) = &self.options.endgames else {
            return Ok(Vec::new());
        };
        let prover = |database| endgames::prover(Arc::new(database));
        if let &[variant] = games {
            return Ok(vec![(variant, prover(endgames::read(dir, variant)?))]);
        }
        let endgames = Endgames::new(dir);
        let mut provers = Vec::new();
        for &variant in games {
            if let Some(database) = endgames.read(variant)? {
                provers.push((variant, prover(database)));
            }
        }
        Ok(provers)
    }
}

impl Contender {
    /// The player as one side of a match of `variant`. `effort` counts where it has no options of
    /// its own; one of stated strength has no clock.
    pub fn player_factory(
        &self,
        variant: Variant,
        effort: &Effort,
    ) -> Result<PlayerFactory<'static>> {
        let handicap = self.handicap(variant)?;
        let effort = Effort {
            time: effort.time.filter(|_| handicap.is_none()),
            ..*effort
        };
        self.factory(variant, &effort, handicap)
    }

    /// The same, held back if there is a handicap.
    pub(super) fn factory(
        &self,
        variant: Variant,
        effort: &Effort,
        handicap: Option<Handicap>,
    ) -> Result<PlayerFactory<'static>> {
        let time = self.options.time.or(effort.time);
        let mut player_factory = match &self.brain {
            Brain::Baseline(baseline) => PlayerFactory::from(*baseline),
            Brain::Mcts(rollouts) => {
                let rollouts = *rollouts;
                PlayerFactory::new("", move || {
                    let player: Box<dyn Player> = Box::new(SearchPlayer::mcts(rollouts));
                    Ok(player)
                })
            }
            Brain::Hub(version, command) => {
                hub(command.clone(), self.hub_config(variant, *version))
            }
            Brain::Dxp(address) => {
                let minutes = time.map(minutes_of).transpose();
                let wrong = |problem| RequestError(format!("player {}: {problem}", self.name));
                let config = DxpPlayerConfig {
                    address: address.clone(),
                    variant,
                    minutes: minutes.map_err(wrong)?.unwrap_or(DXP_MINUTES),
                };
                dxp_factory(self.name.clone(), config)
            }
            Brain::AlphaBeta(evaluations) => {
                self.alpha_beta_factory(evaluations, variant, handicap)?
            }
            Brain::Networks(networks) => {
                let loaded = networks
                    .iter()
                    .find(|loaded| loaded.model.variant == variant)
                    .ok_or_else(|| self.does_not_play(variant))?;
                let own = self.simulations(effort, time.is_some());
                let simulations = handicap.map_or(own, Handicap::most_nodes);
                let play = self.play(&loaded.config, simulations)?;
                let create = self.tree_search(loaded, play, play.games_at_once, handicap)?;
                PlayerFactory::new("", move || {
                    let player: Box<dyn Player> = Box::new(create()?);
                    Ok(player)
                })
            }
        };
        player_factory.name.clone_from(&self.name);
        player_factory.time = time;
        Ok(player_factory)
    }

    /// Alpha-beta search as one side of a match.
    fn alpha_beta_factory(
        &self,
        evaluations: &[Arc<nnue::Network>],
        variant: Variant,
        handicap: Option<Handicap>,
    ) -> Result<PlayerFactory<'static>> {
        let mut evaluations = evaluations.iter();
        let evaluation = evaluations
            .find(|evaluation| evaluation.variant() == variant)
            .ok_or_else(|| self.does_not_play(variant))?;
        let (name, evaluation) = (self.name.clone(), Arc::clone(evaluation));
        let (config, prover) = (self.alpha_beta_config(), self.prover(variant));
        Ok(PlayerFactory::new("", move || {
            let player = AlphaBetaPlayer::new(name.clone(), Arc::clone(&evaluation), config)
                .with_handicap(handicap);
            let player: Box<dyn Player> = Box::new(player.with_prover(prover.clone()));
            Ok(player)
        }))
    }

    fn alpha_beta_config(&self) -> AlphaBetaConfig {
        AlphaBetaConfig {
            resources: Resources {
                table_bytes: self.memory(TABLE_MEMORY),
                threads: self.threads(),
            },
            depth: self.options.depth,
            nodes: self.options.nodes,
            usual_nodes: USUAL_NODES,
        }
    }

    /// Bytes for one position, where nothing is said so many.
    fn memory(&self, usual: usize) -> usize {
        let asked = self.options.hash;
        asked.map_or(usual, |megabytes| (megabytes as usize) << 20)
    }

    /// Threads that search one position.
    fn threads(&self) -> usize {
        self.options.threads.unwrap_or(1) as usize
    }

    fn prover(&self, variant: Variant) -> Option<Arc<dyn Prover>> {
        let mut provers = self.provers.iter();
        provers
            .find(|(game, _)| *game == variant)
            .map(|(_, prover)| Arc::clone(prover))
    }

    /// How a network of this configuration searches.
    fn play(&self, config: &RunConfig, simulations: u32) -> Result<SearchPlayerConfig> {
        let play = self.options.search.play(config, simulations);
        Ok(play.map_err(|problem| RequestError(format!("player {}: {problem}", self.name)))?)
    }

    /// A network's simulations a move. The clock alone limits them unless it has a number.
    fn simulations(&self, effort: &Effort, is_timed: bool) -> u32 {
        let usual = if is_timed {
            u32::MAX
        } else {
            effort.simulations
        };
        self.options.simulations.unwrap_or(usual)
    }

    fn hub_config(&self, variant: Variant, version: Version) -> HubPlayerConfig {
        let nodes = self.options.nodes;
        let time = nodes.is_none().then_some(TimeLeft::Move(HUB_MOVE_TIME));
        HubPlayerConfig {
            variant,
            version,
            limits: SearchLimits {
                nodes,
                time,
                ..SearchLimits::default()
            },
            timeout: HUB_TIMEOUT,
        }
    }

    /// The player as somebody who thinks until told to answer. A number of simulations or random
    /// games of its own is a limit that always holds.
    pub fn analyzer(&self) -> Result<Box<dyn Analyzer>> {
        if let Some(time) = self.options.time {
            let reason = "the one who asks says how long to think";
            return Err(
                RequestError(format!("{}: leave time={time} out, {reason}", self.name)).into(),
            );
        }
        let limited = |analyzer: Box<dyn Analyzer>, nodes: Option<u32>| match nodes {
            Some(nodes) => Box::new(AtMost::new(analyzer, nodes.into())),
            None => analyzer,
        };
        match &self.brain {
            Brain::Baseline(baseline) => Ok(baseline.analyzer()),
            Brain::Mcts(rollouts) => {
                let mcts = Box::new(SearchPlayer::mcts(*rollouts));
                Ok(limited(mcts, Some(*rollouts)))
            }
            Brain::Hub(..) => Err(RequestError(format!(
                "{} is a Hub engine already: start it without crownhead",
                self.name
            ))
            .into()),
            Brain::Dxp(_) => Err(RequestError(format!(
                "{} is another program: it plays, and does not analyse",
                self.name
            ))
            .into()),
            Brain::AlphaBeta(evaluations) => {
                let analyzer = |evaluation: &Arc<nnue::Network>| -> Result<Box<dyn Analyzer>> {
                    let (variant, name) = (evaluation.variant(), self.name.clone());
                    let handicap = self.handicap(variant)?;
                    let config = self.alpha_beta_config();
                    let player = AlphaBetaPlayer::new(name, Arc::clone(evaluation), config)
                        .with_handicap(handicap)
                        .with_prover(self.prover(variant));
                    Ok(free_or_held(player, handicap))
                };
                let playing = evaluations
                    .iter()
                    .filter(|evaluation| self.games.contains(&evaluation.variant()));
                let analyzers: Result<Vec<_>> = playing
                    .map(|evaluation| Ok((evaluation.variant(), analyzer(evaluation)?)))
                    .collect();
                Ok(Box::new(ByGame::new(self.name.clone(), analyzers?)))
            }
            Brain::Networks(networks) => {
                let analyzer = |loaded: &LoadedModel| -> Result<Box<dyn Analyzer>> {
                    let handicap = self.handicap(loaded.model.variant)?;
                    let simulations = handicap.map_or(u32::MAX, Handicap::most_nodes);
                    let play = self.play(&loaded.config, simulations)?;
                    let create = self.tree_search(loaded, play, 1, handicap)?;
                    Ok(free_or_held(create()?, handicap))
                };
                let playing = networks
                    .iter()
                    .filter(|loaded| self.games.contains(&loaded.model.variant));
                let analyzers: Result<Vec<_>> = playing
                    .map(|loaded| Ok((loaded.model.variant, analyzer(loaded)?)))
                    .collect();
                let chosen = ByGame::new(self.name.clone(), analyzers?);
                Ok(limited(Box::new(chosen), self.options.simulations))
            }
        }
    }

    /// What to say when it is to play this game.
    pub fn does_not_play(&self, variant: Variant) -> RequestError {
        if let Err(error) = self.handicap(variant) {
            return error;
        }
        let games: Vec<&str> = self.games.iter().map(|game| game.name()).collect();
        RequestError(format!(
            "{} plays {}, not {variant}",
            self.name,
            games.join(", ")
        ))
    }

    /// Tree search with a network, as often as asked for. It computes on the processor.
    fn tree_search(
        &self,
        loaded: &LoadedModel,
        play: SearchPlayerConfig,
        batch_size: usize,
        handicap: Option<Handicap>,
    ) -> Result<
        impl Fn() -> std::result::Result<SearchPlayer<ThreadEvaluator>, EvaluatorError> + use<>,
    > {
        let usual = loaded.config.model.precision;
        let network = InferenceNetwork::new(&loaded.model, self.options.precision.unwrap_or(usual));
        let evaluators = Evaluators::new(network, &Compute::Cpu, 1, batch_size)?;
        let (name, threads) = (self.name.clone(), self.threads());
        let prover = self.prover(loaded.model.variant);
        let tree_memory = self.memory(TREE_MEMORY);
        Ok(move || {
            Ok(SearchPlayer::new(name.clone(), evaluators.get(), play)
                .with_helpers((1..threads).map(|_| evaluators.get()))?
                .with_tree_memory(tree_memory)
                .with_handicap(handicap)
                .with_prover(prover.clone()))
        })
    }
}

/// A player who thinks as long as it is asked to, or as its handicap says.
fn free_or_held<P: Player + Analyzer + 'static>(
    player: P,
    handicap: Option<Handicap>,
) -> Box<dyn Analyzer> {
    match handicap {
        None => Box::new(player),
        Some(_) => Box::new(Chooser(player)),
    }
}

/// An external engine, started once for each thread.
fn hub(command: String, config: HubPlayerConfig) -> PlayerFactory<'static> {
    PlayerFactory::new("", move || {
        let player: Box<dyn Player> = Box::new(HubPlayer::start_command(&command, config)?);
        Ok(player)
    })
}

/// A program that follows by DXP. There is one of it, whatever the number of threads.
fn dxp_factory(name: String, config: DxpPlayerConfig) -> PlayerFactory<'static> {
    let mut player_factory = PlayerFactory::new("", move || {
        let player: Box<dyn Player> = Box::new(DxpPlayer::new(name.clone(), config.clone())?);
        Ok(player)
    });
    player_factory.is_single = true;
    player_factory
}
