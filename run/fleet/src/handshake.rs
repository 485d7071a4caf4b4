//! Games that a machine must reproduce before it plays for a fleet.

use config::{RunConfig, RunFile};
use model::Model;
use run::GameTerms;
use run::evaluators::Evaluators;
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
    threads: usize,
) -> Result<(Handshake, Retracer)> {
    let config = file.settings_of(HANDSHAKE_GENERATION)?.config;
    let terms = GameTerms::of_generation(file, HANDSHAKE_GENERATION, model.net_id())?;
    let retracer = Retracer {
        evaluators: evaluators(model, &config, &terms, &Compute::Cpu)?,
        terms,
        threads,
    };
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
    let (precision, batch_size) = (config.model.precision, terms.selfplay.concurrent_games);
    Ok(Evaluators::new(model, precision, compute, 1, batch_size)?)
}
