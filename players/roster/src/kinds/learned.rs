//! `ab:DIR`, `ab:bundled`, `ab:VARIANT`: alpha-beta search with a learned evaluation.

use std::sync::Arc;

use alphabeta::{Evaluation, Resources};
use engine::{AlphaBetaConfig, AlphaBetaPlayer, Analyzer};
use eval::PlayerFactory;
use rules::Variant;
use types::Strength;

use super::{Kind, Loaded, Named, PlayerKind, Seat, Source, free_or_limited};
use crate::Result;
use crate::agent_source::AgentSource;
use crate::evaluations::EvaluationSource;
use crate::options::Effort;
use crate::portable::PortableKind;
use engine::defaults::{TABLE_MEMORY, USUAL_NODES};

/// Nodes per move of the weakest handicap.
const LEAST_NODES: u32 = 100;
const MOST_NODES: u32 = 10_000;

/// The row of the registry.
pub(super) const KIND: Kind = Kind {
    word: "ab",
    forms: "ab:DIR, ab:bundled",
    takes: &[
        "nodes", "time", "depth", "threads", "hash", "endgames", "elo", "book", "variety",
    ],
    parse: |rest| match rest {
        "" => Err("write ab:DIR, ab:bundled or ab: and a game".to_owned()),
        text => Ok(Arc::new(EvaluationSource::parse(text))),
    },
};

/// A loaded player: alpha-beta search with this evaluation.
pub(crate) fn of_evaluation(network: nnue::Network) -> (&'static Kind, Box<dyn Loaded>) {
    (&KIND, Box::new(Evaluations(vec![Arc::new(network)])))
}

/// Prepares the alpha-beta searches of a seat with an evaluation.
pub(super) fn maker<E: Evaluation + Clone>(
    seat: &Seat<'_>,
    evaluation: E,
) -> impl Fn() -> AlphaBetaPlayer<E> + use<E> {
    let (options, handicap) = (seat.options, seat.handicap);
    let config = AlphaBetaConfig {
        resources: Resources {
            table_bytes: options.memory(TABLE_MEMORY),
            threads: options.threads(),
        },
        depth: options.depth,
        nodes: options.nodes,
        usual_nodes: USUAL_NODES,
    };
    let (name, prover) = (seat.name.to_owned(), seat.prover.clone());
    move || {
        AlphaBetaPlayer::new(name.clone(), evaluation.clone(), config)
            .with_handicap(handicap)
            .with_prover(prover.clone())
    }
}

impl Source for EvaluationSource {
    fn load(&self) -> Result<Named> {
        let evaluations = self.load_all()?.into_iter().map(Arc::new).collect();
        let name = match self {
            EvaluationSource::Bundled(Some(variant)) => Some(format!("ab:{variant}")),
            _ => None,
        };
        Ok(Named {
            name,
            player: Box::new(Evaluations(evaluations)),
        })
    }

    fn agent(&self) -> Option<AgentSource> {
        Some(AgentSource::Evaluation(self.clone()))
    }
}

/// Learned evaluations, one per game.
struct Evaluations(Vec<Arc<nnue::Network>>);

impl Evaluations {
    fn of(&self, variant: Variant) -> Option<&Arc<nnue::Network>> {
        let mut all = self.0.iter();
        all.find(|evaluation| evaluation.variant() == variant)
    }

    fn maker(
        &self,
        seat: &Seat<'_>,
    ) -> Result<impl Fn() -> AlphaBetaPlayer<Arc<nnue::Network>> + use<>> {
        let evaluation = self.of(seat.variant).ok_or_else(|| seat.empty())?;
        Ok(maker(seat, Arc::clone(evaluation)))
    }
}

impl Loaded for Evaluations {
    fn games(&self) -> Vec<Variant> {
        self.0.iter().map(|one| one.variant()).collect()
    }

    fn factory(&self, seat: &Seat<'_>) -> Result<PlayerFactory<'static>> {
        let make = self.maker(seat)?;
        Ok(PlayerFactory::new("", move || Ok(Box::new(make()))))
    }

    fn analyzer(&self, seat: &Seat<'_>) -> Result<Box<dyn Analyzer>> {
        Ok(free_or_limited(self.maker(seat)?(), seat.handicap))
    }

    fn strength(&self, variant: Variant) -> Option<&Strength> {
        self.of(variant).map(|evaluation| evaluation.strength())
    }

    fn nodes_of_handicaps(&self, _: &Effort) -> (u32, u32) {
        (LEAST_NODES, MOST_NODES)
    }

    fn portable(&self, variant: Variant) -> Result<PortableKind, String> {
        let missing = || format!("it does not play {variant}");
        let evaluation = self.of(variant).ok_or_else(missing)?;
        let bytes = evaluation.to_bytes().map_err(|error| error.to_string())?;
        Ok(PortableKind::Evaluation(bytes))
    }

    fn player_kind(&self, variant: Variant) -> Option<PlayerKind<'_>> {
        self.of(variant).map(PlayerKind::Evaluation)
    }
}
