//! A run that begins with trained weights.

use std::path::Path;

use model::{ModelConfig, ModelWeights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use store::RunDir;

use crate::config::{ConfigError, OriginKind, Resolved, RunFile, RunOrigin, shape_settings};
use crate::{RequestError, Result, Run};
use roster::ModelSource;

/// Goes on with the run in `path`, which must have begun from `source`, or begins one with the weights
/// found there: model 0 of the run. Optimiser, averages and games are new.
///
/// The weights may be those of another game. What belongs to single squares fits the same board only and
/// begins untrained on another; the run's origin says so.
///
/// # Errors
/// When the network has another shape than `asked` for, or as [`Run::resume`] and [`Run::create`].
pub fn resume_or_init(
    path: &Path,
    variant: Variant,
    asked: Resolved,
    source: &ModelSource,
) -> Result<Run> {
    if RunDir::is_run(path) {
        let file = RunFile::read(&RunDir::open(path)?)?;
        check(file.origin.as_ref(), source)?;
        return Run::resume(path, variant, &asked);
    }
    let loaded = source.load_for(variant)?;
    let shape = asked.config.model.shape(variant)?;
    fits(&loaded.name, &loaded.model.config, &shape)?;
    let untrained = ModelWeights::initial(&shape, &mut ChaCha8Rng::seed_from_u64(0));
    let (_, untrained) = untrained.warmed_by(&loaded.model.weights);
    let origin = RunOrigin {
        kind: OriginKind::Init,
        from: loaded.name,
        network: loaded.model.net_id(),
        without: match untrained.join(", ") {
            none if none.is_empty() => none,
            names => format!("untrained: {names}"),
        },
    };
    Run::begin(path, RunFile::new(variant, asked).begun_from(origin, None))
}

/// Whether a run began from this source.
fn check(origin: Option<&RunOrigin>, source: &ModelSource) -> Result<()> {
    let difference = match origin {
        Some(origin) if origin.kind == OriginKind::Init => {
            if ModelSource::of_path(&origin.from).is_meant_by(source) {
                return Ok(());
            }
            format!("it began with the weights of {}", origin.from)
        }
        Some(origin) => format!("it began as {origin}"),
        None => "it began with an untrained network, --init asks for a trained one".to_owned(),
    };
    Err(ConfigError::Differs(vec![difference]).into())
}

/// Whether weights of one shape can be used in another, which may be for another board.
fn fits(name: &str, found: &ModelConfig, wanted: &ModelConfig) -> Result<()> {
    let parts = shape_settings(found)
        .into_iter()
        .zip(shape_settings(wanted));
    let different = parts.filter(|(found, wanted)| found != wanted);
    let options: Vec<String> = different
        .map(|((key, value), _)| format!("--set {key}={value}"))
        .collect();
    if options.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the network of {name} has another shape than this run's: start with {}",
        options.join(" ")
    );
    Err(RequestError(message).into())
}
