//! Games that a machine must reproduce before it plays for a fleet.

use std::sync::Arc;

use config::{RunConfig, RunFile};
use endgame::Database;
use model::Model;
use rules::Variant;
use run::GameTerms;
use run::evaluators::{Evaluators, InferenceNetwork};
use search::Prover;
use share::Handshake;
use trainer::Compute;

use crate::judge::Retracer;
use crate::{FleetError, Result};

/// Games of the handshake.
pub(crate) const HANDSHAKE_GAMES: u32 = 4;

/// The handshake uses the settings that the run was started with, which never change.
const HANDSHAKE_GENERATION: u32 = 0;

/// Plays the games of the handshake on this machine's CPU. The retracer judges the games of its
/// other devices.
pub(crate) fn handshake(
    file: &RunFile,
    model: &Model,
    prover: Option<&Arc<dyn Prover>>,
    threads: usize,
) -> Result<(Handshake, Retracer)> {
    let config = file.settings_of(HANDSHAKE_GENERATION)?.config;
    let terms = GameTerms::of_generation(file, HANDSHAKE_GENERATION, model.net_id())?;
    let processor = evaluators(model, &config, &terms, &Compute::Cpu)?;
    let retracer = Retracer::new(terms.with_prover(prover), processor, threads);
    let played = retracer.play(HANDSHAKE_GAMES, &retracer.evaluators)?;
    let of_none = |error: store::RecordError| FleetError::Missing(error.to_string());
    let handshake = Handshake::of(&model.net_id(), &played).map_err(of_none)?;
    Ok((handshake, retracer))
}

/// The evaluators of a network for self-play.
pub(crate) fn evaluators(
    model: &Model,
    config: &RunConfig,
    terms: &GameTerms,
    compute: &Compute,
) -> Result<Evaluators> {
    let network = InferenceNetwork::new(model, config.model.precision);
    Ok(Evaluators::new(
        network,
        compute,
        1,
        terms.concurrent_games(),
    )?)
}

/// The endgame database that adjudicates games with these settings; `None` if they want none.
pub(crate) fn prover(variant: Variant, config: &RunConfig) -> Result<Option<Arc<dyn Prover>>> {
    let section = &config.endgame;
    if section.pieces == 0 || !section.adjudicate {
        return Ok(None);
    }
    let database = Database::build(variant, section.pieces, |_| ())?;
    Ok(Some(roster::endgames::prover(Arc::new(database))))
}
