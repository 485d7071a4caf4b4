//! Warm starts: runs that start from trained weights.

use std::path::Path;

use model::{ModelConfig, ModelWeights};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rules::Variant;
use store::RunDir;

use crate::config::{ConfigError, OriginKind, Resolved, RunFile, RunOrigin, shape_settings};
use crate::{RequestError, Result, Run};
use roster::ModelSource;

/// Resumes the run in `path`, which must have started from `source`, or creates one with the
/// weights found there as model 0. Optimizer, averages and games are new.
///
/// The weights may come from another game. Weights of single squares only fit the same board; on
/// another board they start untrained, and the run's origin says so.
///
/// # Errors
/// If the network's shape differs from the one `asked` for, or as [`Run::resume`] and
/// [`Run::create`].
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

/// Checks that a run started from this source.
fn check(origin: Option<&RunOrigin>, source: &ModelSource) -> Result<()> {
    let difference = match origin {
        Some(origin) if origin.kind == OriginKind::Init => {
            if ModelSource::of_path(&origin.from).is_meant_by(source) {
                return Ok(());
            }
            format!("it started from the weights of {}", origin.from)
        }
        Some(origin) => format!("it started as {origin}"),
        None => {
            "it started with an untrained network, and --init asks for a trained one".to_owned()
        }
    };
    Err(ConfigError::Differs(vec![difference]).into())
}

/// Checks that weights of one shape can be used in another, possibly for another board.
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
        "the network of {name} has another shape than this run's: add {}",
        options.join(" ")
    );
    Err(RequestError(message).into())
}
