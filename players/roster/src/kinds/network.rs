//! `run:DIR`, `run:DIR@N`, `model:PATH`, `bundled`, `bundled:VARIANT`: tree search with a network.

use std::sync::Arc;

use engine::{Analyzer, SearchPlayer, TREE_MEMORY, WithEvaluation};
use eval::PlayerFactory;
use model::CpuEvaluator;
use rules::Variant;
use search::{Cached, Evaluator, EvaluatorError};
use types::{Handicap, Strength};

use super::{Kind, Loaded, Named, PlayerKind, Seat, Source, free_or_limited};
use crate::agent_source::AgentSource;
use crate::models::{LoadedModel, ModelSource};
use crate::node_cap::NodeCap;
use crate::options::{SEARCH_SETTINGS, Taken};
use crate::portable::{PortableKind, Searching};
use crate::{RequestError, Result, SecondOpinion};
use engine::defaults::CACHE_MEMORY;

/// The options of networks.
const TAKES: Taken = &[
    "sims",
    SEARCH_SETTINGS,
    "time",
    "precision",
    "evaluation",
    "endgames",
    "threads",
    "hash",
    "elo",
    "book",
    "variety",
];

/// A model of a run.
pub(super) const RUN: Kind = Kind {
    word: "run",
    forms: "run:DIR, run:DIR@42",
    takes: TAKES,
    parse: |rest| parse("run", rest, "write run:DIR or run:DIR@42"),
};

/// A model in a folder or file.
pub(super) const MODEL: Kind = Kind {
    word: "model",
    forms: "model:DIR",
    takes: TAKES,
    parse: |rest| parse("model", rest, "write model:DIR"),
};

/// The networks included in the program.
pub(super) const BUNDLED: Kind = Kind {
    word: "bundled",
    forms: "bundled, bundled:VARIANT",
    takes: TAKES,
    parse: |rest| match rest {
        "" => Ok(Arc::new(ModelSource::Bundled(None))),
        name => {
            let variant = name.parse::<Variant>().map_err(|error| error.to_string())?;
            Ok(Arc::new(ModelSource::Bundled(Some(variant))))
        }
    },
};

fn parse(word: &str, rest: &str, form: &str) -> Result<Arc<dyn Source>, String> {
    match ModelSource::parse(&format!("{word}:{rest}")) {
        Some(model) if !rest.is_empty() => Ok(Arc::new(model)),
        _ => Err(form.to_owned()),
    }
}

/// A loaded player: tree search with this model.
pub(crate) fn of_model(model: LoadedModel) -> (&'static Kind, Box<dyn Loaded>) {
    (&MODEL, Box::new(Networks(vec![model])))
}

impl Source for ModelSource {
    fn load(&self) -> Result<Named> {
        let networks = self.load_all()?;
        let name = match &networks[..] {
            [network] => Some(network.name.clone()),
            _ => None,
        };
        Ok(Named {
            name,
            player: Box::new(Networks(networks)),
        })
    }

    fn agent(&self) -> Option<AgentSource> {
        Some(AgentSource::Network(self.clone()))
    }
}

/// Tree search with a network, and perhaps an evaluation.
type NetworkPlayer = SearchPlayer<Cached<Box<dyn Evaluator + Send>>>;

/// Networks, one per game.
struct Networks(Vec<LoadedModel>);

impl Networks {
    fn of(&self, variant: Variant) -> Option<&LoadedModel> {
        self.0.iter().find(|loaded| loaded.model.variant == variant)
    }

    /// Prepares the searches of a seat.
    fn maker(
        &self,
        seat: &Seat<'_>,
        simulations: u32,
    ) -> Result<impl Fn() -> Result<NetworkPlayer, EvaluatorError> + use<>> {
        let LoadedModel {
            model,
            search,
            precision,
            evaluation,
            ..
        } = self.of(seat.variant).ok_or_else(|| seat.empty())?;
        let options = seat.options;
        let evaluation = match (&options.evaluation, seat.handicap) {
            (Some(asked), _) => asked,
            (None, None) => evaluation,
            // Limited strengths were measured with the network alone.
            (None, Some(_)) => &SecondOpinion::None,
        };
        let wrong = |problem| RequestError(format!("player {}: {problem}", seat.name));
        let play = options.search.play(*search, simulations).map_err(wrong)?;
        let network = CpuEvaluator::with_precision(
            model.variant,
            &model.config,
            &model.weights,
            options.precision.unwrap_or(*precision),
        )?;
        let evaluation = evaluation.load(model.variant)?;
        let evaluator = move || {
            let network = network.clone();
            let evaluator: Box<dyn Evaluator + Send> = match evaluation.clone() {
                None => Box::new(network),
                Some(evaluation) => Box::new(WithEvaluation::new(network, evaluation)),
            };
            Cached::new(evaluator, CACHE_MEMORY)
        };
        let (name, threads) = (seat.name.to_owned(), options.threads());
        let (memory, handicap) = (options.memory(TREE_MEMORY), seat.handicap);
        let prover = seat.prover.clone();
        Ok(move || {
            Ok(SearchPlayer::new(name.clone(), evaluator(), play)
                .with_helpers((1..threads).map(|_| evaluator()))?
                .with_tree_memory(memory)
                .with_handicap(handicap)
                .with_prover(prover.clone()))
        })
    }
}

impl Loaded for Networks {
    fn games(&self) -> Vec<Variant> {
        self.0.iter().map(|loaded| loaded.model.variant).collect()
    }

    fn factory(&self, seat: &Seat<'_>) -> Result<PlayerFactory<'static>> {
        // With a clock, simulations are unlimited unless the player has its own number.
        let usual = match seat.time {
            Some(_) => u32::MAX,
            None => seat.effort.simulations,
        };
        let own = seat.options.simulations.unwrap_or(usual);
        let make = self.maker(seat, seat.handicap.map_or(own, Handicap::most_nodes))?;
        Ok(PlayerFactory::new("", move || Ok(Box::new(make()?))))
    }

    fn analyzer(&self, seat: &Seat<'_>) -> Result<Box<dyn Analyzer>> {
        let make = self.maker(seat, seat.handicap.map_or(u32::MAX, Handicap::most_nodes))?;
        let analyzer = free_or_limited(make()?, seat.handicap);
        // The player's own number of simulations always applies.
        Ok(match seat.options.simulations.map(u64::from) {
            Some(nodes) => Box::new(NodeCap { analyzer, nodes }),
            None => analyzer,
        })
    }

    fn strength(&self, variant: Variant) -> Option<&Strength> {
        self.of(variant).map(|loaded| &loaded.model.strength)
    }

    fn portable(&self, variant: Variant) -> Result<PortableKind, String> {
        let missing = || format!("it does not play {variant}");
        let loaded = self.of(variant).ok_or_else(missing)?;
        let searching = Searching::of(loaded).map_err(|error| error.to_string())?;
        Ok(PortableKind::Network {
            id: loaded.model.net_id(),
            bytes: loaded.model.to_bytes().map_err(|error| error.to_string())?,
            settings: serde_json::to_string(&searching).map_err(|error| error.to_string())?,
        })
    }

    fn player_kind(&self, variant: Variant) -> Option<PlayerKind<'_>> {
        self.of(variant).map(PlayerKind::Network)
    }
}
