//! Players and settings of an assignment, loaded on this machine.

use std::path::Path;

use config::{RunConfig, RunFile};
use engine::SearchPlayerConfig;
use eval::{Baseline, PlayerFactory};
use model::Model;
use roster::Effort;
use rules::Variant;
use run::GameTerms;
use run::evaluators::{Evaluators, ThreadEvaluator};
use share::{Assignment, Content, MatchSide, Records, Share, Work, model_name};
use trainer::Compute;

use crate::batches::Batches;
use crate::chunks::ChunkSource;
use crate::handshake::evaluators;
use crate::judge::judge;
use crate::pairs::Pairs;
use crate::portable;
use crate::{FleetError, Result};

/// A chunk that was played.
pub(crate) struct PlayedChunk {
    /// Its number.
    pub(crate) number: u32,
    /// The number of its games.
    pub(crate) n_games: u64,
    /// Its games, as they are shared.
    pub(crate) bytes: Vec<u8>,
}

/// Everything that the games of an assignment depend on.
pub(crate) enum Terms {
    /// Games of self-play.
    Games {
        terms: Box<GameTerms>,
        content: Records,
        evaluators: Vec<ThreadEvaluator>,
    },
    /// Pairs of a match.
    Pairs {
        sides: Box<[PlayerFactory<'static>; 2]>,
        content: Pairs,
    },
    /// Batches of pairs of a tournament.
    Meetings {
        players: Vec<PlayerFactory<'static>>,
        content: Batches,
    },
}

impl Terms {
    /// The terms of an assignment, whose self-play networks run on a device and this number of
    /// threads; `None` if a network that it needs is missing so far.
    pub(crate) fn new(
        share: &dyn Share,
        assignment: &Assignment,
        variant: Variant,
        compute: &Compute,
        threads: usize,
    ) -> Result<Option<Terms>> {
        let mut file = RunFile::parse("the assignment's settings", &assignment.settings)?;
        file.resolved = file.settings_of(assignment.generation)?;
        match &assignment.work {
            Work::SelfPlay { network } => {
                let Some(model) = shared_model(share, network)? else {
                    return Ok(None);
                };
                let network = model.net_id();
                let terms = GameTerms::of_generation(&file, assignment.generation, network)?;
                let config = file.resolved.config;
                let playing = evaluators(&model, &config, &terms, compute)?;
                let again = || evaluators(&model, &config, &terms, &Compute::Cpu);
                let content = Records {
                    header: terms.header.clone(),
                    judge: judge(&config, &terms, threads, again)?,
                };
                Ok(Some(Terms::Games {
                    terms: Box::new(terms),
                    content,
                    evaluators: playing.all(threads),
                }))
            }
            Work::Match(work) => {
                let config = &file.resolved.config;
                let side = |side| player(share, side, config, work.simulations);
                let [first, second] = &work.sides;
                let (Some(first), Some(second)) = (side(first)?, side(second)?) else {
                    return Ok(None);
                };
                Ok(Some(Terms::Pairs {
                    sides: Box::new([first, second]),
                    content: Pairs::of(variant, work)?,
                }))
            }
            Work::Meetings(work) => {
                let fetch = |object: &str| Ok(share.get(&model_name(object))?);
                let effort = Effort {
                    simulations: work.simulations,
                    time: None,
                };
                let mut players = Vec::new();
                for shared in &work.players {
                    let Some(player) = portable::load(shared, variant, &fetch)? else {
                        return Ok(None);
                    };
                    players.push(player.factory(variant, &effort)?);
                }
                let content = Batches::of(variant, work)?;
                Ok(Some(Terms::Meetings { players, content }))
            }
        }
    }

    /// Plays chunks until there are none left, and hands each to `finished`. Returns the number of
    /// games.
    pub(crate) fn play(
        &mut self,
        source: &ChunkSource<'_>,
        finished: &mut dyn FnMut(PlayedChunk),
    ) -> Result<u64> {
        let mut packer = Packer {
            finished,
            n_games: 0,
            failure: None,
        };
        match self {
            Terms::Games {
                terms,
                content,
                evaluators,
            } => {
                let stats =
                    source.play_games(&terms.job(&[]), evaluators, &mut |chunk, games| {
                        packer.pack(content, chunk, &games, games.len());
                    })?;
                packer.end()?;
                return Ok(stats.games);
            }
            Terms::Pairs { sides, content } => {
                content.play(sides.each_ref(), source, &mut |chunk, pairs| {
                    packer.pack(content, chunk, &pairs, 2 * pairs.len());
                })?;
            }
            Terms::Meetings { players, content } => {
                content.play(players, source, &mut |chunk, batches| {
                    let n_pairs: usize = batches.iter().map(Vec::len).sum();
                    packer.pack(content, chunk, &batches, 2 * n_pairs);
                })?;
            }
        }
        packer.end()
    }

    /// The difference between the `found` bytes of a chunk and the chunk `played` here: the first
    /// game that differs.
    ///
    /// # Errors
    /// If the games cannot be compared.
    pub(crate) fn difference(
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
            Terms::Games { content, .. } => between(content, assignment, chunk, bytes),
            Terms::Pairs { content, .. } => between(content, assignment, chunk, bytes),
            Terms::Meetings { content, .. } => between(content, assignment, chunk, bytes),
        };
        told.map_err(FleetError::Missing)
    }
}

/// Packs finished chunks.
struct Packer<'a> {
    finished: &'a mut dyn FnMut(PlayedChunk),
    /// Games of all chunks so far.
    n_games: u64,
    /// The reason why a chunk could not be packed.
    failure: Option<String>,
}

impl Packer<'_> {
    fn pack<C: Content>(&mut self, content: &C, number: u32, items: &[C::Item], n_games: usize) {
        self.n_games += n_games as u64;
        match content.pack(items) {
            Ok(bytes) => (self.finished)(PlayedChunk {
                number,
                n_games: n_games as u64,
                bytes,
            }),
            Err(reason) => self.failure = Some(reason),
        }
    }

    /// The number of games.
    fn end(self) -> Result<u64> {
        match self.failure {
            None => Ok(self.n_games),
            Some(reason) => Err(FleetError::Missing(reason)),
        }
    }
}

/// A player of a match, as it plays in the run; `None` if its network is missing so far.
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
            let reason = "an evaluation cannot play for a run";
            return Err(FleetError::Missing(reason.to_owned()));
        }
    };
    let Some(model) = shared_model(share, network)? else {
        return Ok(None);
    };
    let play = SearchPlayerConfig::new(config.search.without_noise(), simulations);
    let precision = config.model.precision;
    let evaluators = Evaluators::new(&model, precision, &Compute::Cpu, 1, play.games_at_once)?;
    let name = model.net_id();
    Ok(Some(evaluators.player_factory(name, play)))
}

/// Loads a shared network, if it is there; checks that it matches its name.
pub(crate) fn shared_model(share: &dyn Share, network: &str) -> Result<Option<Model>> {
    let name = model_name(network);
    let Some(bytes) = share.get(&name)? else {
        return Ok(None);
    };
    let model = Model::from_bytes(&bytes, Path::new(&name))?;
    let found = model.net_id();
    match found == network {
        true => Ok(Some(model)),
        false => Err(FleetError::Missing(format!("{name} is network {found}"))),
    }
}
