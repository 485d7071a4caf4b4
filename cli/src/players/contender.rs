//! Players that are there: what they are made of has been read.

use std::sync::Arc;
use std::time::Duration;

use engine::hub::{HubPlayer, HubPlayerConfig};
use engine::{Limits, Mcts, NetPlayer, Player, Thinker, TimeLeft};
use eval::{Baseline, Entrant};
use rules::Variant;
use search::Prover;
use trainer::Compute;

use super::at_most::AtMost;
use super::options::{Effort, Options};
use super::spec::{PlayerSpec, Source};
use crate::commands::endgame;
use crate::endgames;
use crate::evaluators::{Evaluators, Network};
use crate::models::LoadedModel;
use crate::output::Usage;
use crate::{players, settings};

/// How long an external engine may hang that plays without a clock.
const HUB_TIMEOUT: Duration = Duration::from_secs(60);
/// What an external engine is told to use for a move when nothing was said.
const HUB_MOVE_TIME: Duration = Duration::from_secs(1);

/// A player that is there: its files have been read.
pub(crate) struct Contender {
    /// The name in results. Says which model was meant by a run.
    pub(crate) name: String,
    /// The game it plays; none for players that play them all.
    pub(crate) variant: Option<Variant>,
    brain: Brain,
    options: Options,
    /// What a network knows for certain.
    prover: Option<Arc<dyn Prover>>,
}

enum Brain {
    Baseline(Baseline),
    Mcts(u32),
    Hub(String),
    Network(Box<LoadedModel>),
}

impl PlayerSpec {
    /// Reads what the player needs.
    pub(crate) fn load(&self) -> anyhow::Result<Contender> {
        let (mut name, mut variant) = (self.text.clone(), None);
        let brain = match &self.source {
            Source::Baseline(baseline) => Brain::Baseline(*baseline),
            Source::Mcts(rollouts) => Brain::Mcts(*rollouts),
            Source::Hub(command) => Brain::Hub(command.clone()),
            Source::Network(source) => {
                let loaded = source.load()?;
                name.clone_from(&loaded.name);
                variant = Some(loaded.model.variant);
                Brain::Network(Box::new(loaded))
            }
        };
        Ok(Contender {
            name: format!("{name}{}", self.options),
            variant,
            brain,
            prover: self.prover(variant)?,
            options: self.options.clone(),
        })
    }

    /// What the player's endgame database proves.
    fn prover(&self, variant: Option<Variant>) -> anyhow::Result<Option<Arc<dyn Prover>>> {
        let (Some(dir), Some(variant)) = (&self.options.endgames, variant) else {
            return Ok(None);
        };
        let database = endgame::read(dir, variant)?;
        Ok(Some(endgames::prover(Arc::new(database))))
    }
}

impl Contender {
    /// The player as one side of a match of `variant`. `effort` counts where it has no options of
    /// its own.
    pub(crate) fn entrant(
        &self,
        variant: Variant,
        effort: &Effort,
    ) -> anyhow::Result<Entrant<'static>> {
        let time = self.options.time.or(effort.time);
        let mut entrant = match &self.brain {
            Brain::Baseline(baseline) => Entrant::from(*baseline),
            Brain::Mcts(rollouts) => {
                let rollouts = *rollouts;
                Entrant::new("", move || {
                    let player: Box<dyn Player> = Box::new(Mcts::new(rollouts));
                    Ok(player)
                })
            }
            Brain::Hub(command) => hub(command.clone(), self.hub_config(variant)),
            Brain::Network(loaded) => {
                let simulations = self.simulations(effort, time.is_some());
                let play = settings::play(&loaded.config, simulations);
                players::network(
                    self.name.clone(),
                    self.evaluators(loaded, play.games_at_once)?,
                    play,
                    self.prover.clone(),
                )
            }
        };
        entrant.name.clone_from(&self.name);
        entrant.time = time;
        Ok(entrant)
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

    fn hub_config(&self, variant: Variant) -> HubPlayerConfig {
        let nodes = self.options.nodes;
        let time = nodes.is_none().then_some(TimeLeft::Move(HUB_MOVE_TIME));
        HubPlayerConfig {
            variant,
            limits: Limits {
                depth: None,
                nodes,
                time,
            },
            timeout: HUB_TIMEOUT,
        }
    }

    /// The player as somebody who thinks until told to answer. A number of simulations or random
    /// games of its own is a limit that always holds.
    pub(crate) fn thinker(&self) -> anyhow::Result<Box<dyn Thinker>> {
        if let Some(time) = self.options.time {
            let reason = "the one who asks says how long to think";
            return Err(Usage(format!("{}: leave time={time} out, {reason}", self.name)).into());
        }
        let limited = |thinker: Box<dyn Thinker>, nodes: Option<u32>| match nodes {
            Some(nodes) => Box::new(AtMost::new(thinker, nodes.into())),
            None => thinker,
        };
        match &self.brain {
            Brain::Baseline(baseline) => Ok(baseline.thinker()),
            Brain::Mcts(rollouts) => {
                let mcts = Box::new(Mcts::new(*rollouts));
                Ok(limited(mcts, Some(*rollouts)))
            }
            Brain::Hub(command) => Err(Usage(format!(
                "hub:{command} is a Hub engine already: start it without crownhead"
            ))
            .into()),
            Brain::Network(loaded) => {
                let play = settings::play(&loaded.config, u32::MAX);
                let net =
                    NetPlayer::new(self.name.clone(), self.evaluators(loaded, 1)?.get(), play);
                let net = net.with_prover(self.prover.clone());
                Ok(limited(Box::new(net), self.options.simulations))
            }
        }
    }

    /// A network that plays computes on the processor.
    fn evaluators(&self, loaded: &LoadedModel, batch_size: usize) -> anyhow::Result<Evaluators> {
        let usual = loaded.config.model.precision;
        let network = Network::new(&loaded.model, self.options.precision.unwrap_or(usual));
        Evaluators::new(network, &Compute::Cpu, 1, batch_size)
    }
}

/// An external engine, started once for each thread.
fn hub(command: String, config: HubPlayerConfig) -> Entrant<'static> {
    Entrant::new("", move || {
        let player: Box<dyn Player> = Box::new(HubPlayer::start_command(&command, config)?);
        Ok(player)
    })
}
