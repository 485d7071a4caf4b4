//! Players that another machine can make.

use std::path::Path;

use fleet::{Guest, MatchSide};
use model::Model;
use rules::Variant;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::contender::{Brain, Contender};
use super::options::{Effort, Options};
use super::spec::{PlayerSpec, Source};
use crate::config::{ConfigSources, ModelSection, SearchSection};
use crate::evaluations::{EvaluationError, EvaluationSource};
use crate::models::{LoadedModel, ModelSource};
use crate::{PipelineError, RequestError, Result};

/// What a player of a tournament is made of: the name of the object with it, and its bytes.
type Object = (String, Vec<u8>);

/// How a network searches.
#[derive(Serialize, Deserialize)]
struct Searching {
    model: ModelSection,
    search: SearchSection,
}

impl Contender {
    /// The player in a game as another machine can make it, and what it is made of.
    ///
    /// # Errors
    /// When it would play otherwise there.
    pub(crate) fn guest(
        &self,
        variant: Variant,
        effort: &Effort,
    ) -> Result<(Guest, Option<Object>)> {
        let refused =
            |why: &str| RequestError(format!("{} cannot play for a fleet: {why}", self.name));
        let options = &self.options;
        if options.time.or(effort.time).is_some() {
            return Err(refused("with a clock, results depend on the machine").into());
        }
        if options.endgames.is_some() {
            return Err(refused("its endgame databases are on this machine only").into());
        }
        if options.threads.is_some_and(|threads| threads > 1) {
            return Err(refused("with several threads its moves depend on the machine").into());
        }
        let (side, settings, object) = match &self.brain {
            Brain::Hub(..) | Brain::Dxp(_) => {
                return Err(refused("it is a program of this machine").into());
            }
            Brain::Baseline(baseline) => (
                MatchSide::Baseline(baseline.to_string()),
                String::new(),
                None,
            ),
            Brain::Mcts(rollouts) => {
                let name = format!("mcts:rollouts={rollouts}");
                (MatchSide::Baseline(name), String::new(), None)
            }
            Brain::AlphaBeta(evaluations) => {
                let mut evaluations = evaluations.iter();
                let evaluation = evaluations.find(|evaluation| evaluation.variant() == variant);
                let evaluation = evaluation.ok_or_else(|| self.does_not_play(variant))?;
                let bytes = evaluation.to_bytes().map_err(EvaluationError::from)?;
                let hash = format!("{:032x}", xxh3_128(&bytes));
                (
                    MatchSide::Evaluation(hash.clone()),
                    String::new(),
                    Some((hash, bytes)),
                )
            }
            Brain::Networks(networks) => {
                let mut networks = networks.iter();
                let loaded = networks.find(|loaded| loaded.model.variant == variant);
                let loaded = loaded.ok_or_else(|| self.does_not_play(variant))?;
                let searching = Searching {
                    model: loaded.config.model.clone(),
                    search: loaded.config.search.clone(),
                };
                let settings = serde_json::to_string(&searching);
                let settings = settings.map_err(|error| refused(&error.to_string()))?;
                let id = loaded.model.net_id();
                let object = (id.clone(), loaded.model.to_bytes()?);
                (MatchSide::Network(id), settings, Some(object))
            }
        };
        let guest = Guest {
            name: self.name.clone(),
            side,
            options: options.to_string(),
            settings,
        };
        Ok((guest, object))
    }

    /// A guest, of an object that `fetch` brings; none if it is not there.
    ///
    /// # Errors
    /// When it cannot be made here.
    pub(crate) fn of_guest(
        guest: &Guest,
        variant: Variant,
        fetch: &dyn Fn(&str) -> Result<Option<Vec<u8>>>,
    ) -> Result<Option<Contender>> {
        let wrong = |what: &str| {
            PipelineError::Missing(format!("the fleet's player {} {what}", guest.name))
        };
        let (brain, source) = match &guest.side {
            MatchSide::Baseline(name) => {
                let spec: PlayerSpec = name.parse()?;
                if !matches!(spec.source, Source::Baseline(_) | Source::Mcts(_)) {
                    return Err(wrong("is not one that every machine has"));
                }
                (spec.load()?.brain, spec.source)
            }
            MatchSide::Evaluation(hash) => {
                let Some(bytes) = fetch(hash)? else {
                    return Ok(None);
                };
                if format!("{:032x}", xxh3_128(&bytes)) != *hash {
                    return Err(wrong("has another evaluation"));
                }
                let network = nnue::Network::from_bytes(&bytes).map_err(EvaluationError::from)?;
                let source = Source::AlphaBeta(EvaluationSource::Bundled);
                (Brain::AlphaBeta(vec![network.into()]), source)
            }
            MatchSide::Network(id) => {
                let Some(bytes) = fetch(id)? else {
                    return Ok(None);
                };
                let model = Model::from_bytes(&bytes, Path::new(id))?;
                if model.net_id() != *id || model.variant != variant {
                    return Err(wrong("has another network"));
                }
                let searching: Searching =
                    serde_json::from_str(&guest.settings).map_err(|error| {
                        wrong(&format!("has settings that cannot be read: {error}"))
                    })?;
                let mut config = ConfigSources::default().resolve(variant)?.config;
                config.model = searching.model;
                config.search = searching.search;
                let loaded = LoadedModel {
                    name: guest.name.clone(),
                    model,
                    config,
                    run: None,
                };
                let source = Source::Network(ModelSource::Bundled(None));
                (Brain::Networks(vec![loaded]), source)
            }
        };
        let options = Options::parse(&guest.name, &source, guest.options.trim_start_matches(','))?;
        if options.endgames.is_some() || options.time.is_some() {
            return Err(wrong("has options that depend on the machine"));
        }
        Ok(Some(Contender {
            name: guest.name.clone(),
            games: vec![variant],
            brain,
            options,
            provers: Vec::new(),
        }))
    }
}
