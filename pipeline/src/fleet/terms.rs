//! What a machine needs to play the games of an assignment.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::SearchPlayerConfig;
use eval::{Baseline, PlayerFactory};
use fleet::{Assignment, Content, FleetError, MatchSide, Ready, Records, Share, Work, model_name};
use model::Model;
use rules::Variant;
use search::Prover;
use selfplay::SelfplayConfig;
use trainer::Compute;
use types::Seed;

use super::batches::Batches;
use super::judge::judge;
use super::pairs::{Pairs, play_pairs};
use super::{evaluators, guest, play_chunks};
use crate::config::{RunConfig, RunFile};
use crate::evaluators::{Evaluators, InferenceNetwork, ThreadEvaluator};
use crate::stages::self_play::{header, job};
use crate::{PipelineError, Result};
use roster::Effort;

/// What decides the games of an assignment.
pub(super) enum Terms {
    /// Games of self-play.
    Games(Box<GameTerms>),
    /// Pairs of a match.
    Pairs {
        sides: [PlayerFactory<'static>; 2],
        content: Pairs,
        seed: Seed,
    },
    /// Batches of pairs of a tournament.
    Meetings {
        players: Vec<PlayerFactory<'static>>,
        content: Batches,
    },
}

pub(super) struct GameTerms {
    config: RunConfig,
    selfplay: SelfplayConfig,
    content: Records,
    evaluators: Vec<ThreadEvaluator>,
}

impl Terms {
    /// The terms of an assignment; none if a network that it needs is not there yet.
    pub(super) fn new(
        share: &dyn Share,
        assignment: &Assignment,
        variant: Variant,
        (compute, threads): (&Compute, usize),
        prover: Option<&Arc<dyn Prover>>,
    ) -> Result<Option<Terms>> {
        let mut file = RunFile::parse("the assignment's settings", &assignment.settings)?;
        file.resolved = file.settings_of(assignment.generation)?;
        match &assignment.work {
            Work::SelfPlay { network, .. } => {
                let Some(model) = shared_model(share, network)? else {
                    return Ok(None);
                };
                let header = header(&file, assignment.generation, model.net_id());
                let config = file.resolved.config;
                let selfplay = config.self_play();
                let playing = evaluators(&model, &config, compute)?.all(threads);
                let again = || evaluators(&model, &config, &Compute::Cpu);
                let judge = judge((&config, &header), prover, (again, threads))?;
                Ok(Some(Terms::Games(Box::new(GameTerms {
                    config,
                    selfplay,
                    content: Records { header, judge },
                    evaluators: playing,
                }))))
            }
            Work::Match(work) => {
                let config = &file.resolved.config;
                let side = |side| player(share, side, config, work.simulations);
                let [first, second] = &work.sides;
                let (Some(first), Some(second)) = (side(first)?, side(second)?) else {
                    return Ok(None);
                };
                Ok(Some(Terms::Pairs {
                    sides: [first, second],
                    content: Pairs::of(variant, work)?,
                    seed: Seed::new(work.seed),
                }))
            }
            Work::Meetings(work) => {
                let fetch =
                    |object: &str| Ok(share.get(&model_name(object)).map_err(FleetError::from)?);
                let effort = Effort {
                    simulations: work.simulations,
                    time: None,
                };
                let mut players = Vec::new();
                for guest in &work.players {
                    let Some(player) = guest::player(guest, variant, &fetch)? else {
                        return Ok(None);
                    };
                    players.push(player.factory(variant, &effort)?);
                }
                let content = Batches::of(variant, work)?;
                Ok(Some(Terms::Meetings { players, content }))
            }
        }
    }

    /// Plays chunks that `claim` gives until it gives none, and hands the bytes of each to `finished`, with the
    /// number of its games. Returns how many games there were.
    pub(super) fn play(
        &mut self,
        assignment: &Assignment,
        prover: Option<&Arc<dyn Prover>>,
        claim: &(dyn Fn(Ready) -> Option<u32> + Sync),
        (threads, stop): (usize, &AtomicBool),
        finished: &mut dyn FnMut(u32, u64, Vec<u8>),
    ) -> Result<u64> {
        match self {
            Terms::Games(terms) => {
                let GameTerms {
                    config,
                    selfplay,
                    content,
                    evaluators,
                } = &mut **terms;
                let job = job(config, selfplay, &content.header, &[], prover);
                let mut failure = Ok(());
                let mut pack = |chunk, games: Vec<_>| match content.pack(&games) {
                    Ok(bytes) => finished(chunk, games.len() as u64, bytes),
                    Err(reason) => failure = Err(PipelineError::Missing(reason)),
                };
                let stats = play_chunks(&job, assignment, claim, evaluators, stop, &mut pack)?;
                failure.map(|()| stats.games)
            }
            Terms::Pairs {
                sides: [first, second],
                content,
                seed,
            } => {
                let what = (assignment, &content.openings[..], *seed);
                let mut failure = Ok(());
                let mut pack = |chunk, pairs: Vec<_>| match content.pack(&pairs) {
                    Ok(bytes) => finished(chunk, 2 * pairs.len() as u64, bytes),
                    Err(reason) => failure = Err(PipelineError::Missing(reason)),
                };
                let sides = [&*first, &*second];
                let pairs = play_pairs(sides, what, claim, (threads, stop), &mut pack)?;
                failure.map(|()| 2 * pairs)
            }
            Terms::Meetings { players, content } => {
                let mut failure = Ok(());
                let mut games = 0;
                let mut pack = |chunk, batches: Vec<Vec<_>>| {
                    let n_games = 2 * batches.iter().map(|pairs| pairs.len() as u64).sum::<u64>();
                    games += n_games;
                    match content.pack(&batches) {
                        Ok(bytes) => finished(chunk, n_games, bytes),
                        Err(reason) => failure = Err(PipelineError::Missing(reason)),
                    }
                };
                content.play(players, assignment, claim, (threads, stop), &mut pack)?;
                failure.map(|()| games)
            }
        }
    }

    /// What is wrong with the `found` bytes of a chunk that was `played` here; the first game that differs.
    ///
    /// # Errors
    /// When that cannot be told.
    pub(super) fn difference(
        &self,
        assignment: &Assignment,
        chunk: u32,
        [found, played]: [&[u8]; 2],
    ) -> Result<Option<String>> {
        fn between<C: Content>(
            content: &C,
            assignment: &Assignment,
            chunk: u32,
            [found, played]: [&[u8]; 2],
        ) -> std::result::Result<Option<String>, String> {
            let items = |bytes| content.unpack(assignment.numbers(chunk), bytes);
            match (items(found), items(played)) {
                (Ok(found), Ok(played)) => content.difference(&found, &played),
                (Err(reason), _) | (_, Err(reason)) => Ok(Some(reason)),
            }
        }
        let bytes = [found, played];
        let told = match self {
            Terms::Games(terms) => between(&terms.content, assignment, chunk, bytes),
            Terms::Pairs { content, .. } => between(content, assignment, chunk, bytes),
            Terms::Meetings { content, .. } => between(content, assignment, chunk, bytes),
        };
        told.map_err(PipelineError::Missing)
    }
}

/// A side of a match, as it plays in the run; none if its network is not there yet.
fn player(
    share: &dyn Share,
    side: &MatchSide,
    config: &RunConfig,
    simulations: u32,
) -> Result<Option<PlayerFactory<'static>>> {
    let network = match side {
        MatchSide::Network(network) => network,
        MatchSide::Baseline(name) => return Ok(Some(name.parse::<Baseline>()?.into())),
        MatchSide::Evaluation(_) => {
            let reason = "an evaluation is no player of a run";
            return Err(PipelineError::Missing(reason.to_owned()));
        }
    };
    let Some(model) = shared_model(share, network)? else {
        return Ok(None);
    };
    let play = SearchPlayerConfig::new(config.search.without_noise(), simulations);
    let network = InferenceNetwork::new(&model, config.model.precision);
    let evaluators = Evaluators::new(network, &Compute::Cpu, 1, play.games_at_once)?;
    let name = model.net_id();
    Ok(Some(evaluators.player_factory(name, play)))
}

/// A network, if it is there; it is the one of its name.
pub(super) fn shared_model(share: &dyn Share, network: &str) -> Result<Option<Model>> {
    let name = model_name(network);
    let Some(bytes) = share.get(&name).map_err(FleetError::from)? else {
        return Ok(None);
    };
    let model = Model::from_bytes(&bytes, Path::new(&name))?;
    let found = model.net_id();
    match found == network {
        true => Ok(Some(model)),
        false => Err(PipelineError::Missing(format!("{name} is network {found}"))),
    }
}
