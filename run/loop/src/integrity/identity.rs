//! Finds the run that the files of a directory belong to, whatever its `run.toml` says.

use std::collections::BTreeMap;
use std::path::Path;

use model::ModelInfo;
use store::{Misfit, RunDir, RunId, RunWriter, StoreError};

use super::{RunFault, config_fault};
use crate::config::RunFile;
use crate::{Result, RunError};

/// The number of sealed documents and models by the run that they name. Files of earlier versions
/// name none.
fn votes(run: &RunDir) -> BTreeMap<RunId, usize> {
    let mut votes = BTreeMap::new();
    let models = run.models().unwrap_or_default().into_iter();
    let named = models.filter_map(|id| {
        let info = ModelInfo::read(&run.model_path(id)).ok()?;
        info.meta.run?.parse().ok()
    });
    for id in run.sealed_ids().into_iter().chain(named) {
        *votes.entry(id).or_default() += 1;
    }
    votes
}

/// The run that most files name and their number, if it is not the run of `run.toml`.
fn majority(run: &RunDir) -> Option<(RunId, usize)> {
    let mut votes = votes(run);
    let own = run.id().and_then(|id| votes.remove(&id)).unwrap_or(0);
    let (id, count) = votes.into_iter().max_by_key(|&(_, count)| count)?;
    (count > own + 1).then_some((id, count))
}

/// The fault of a `run.toml` that is whole and belongs to another run than the files around it.
pub(super) fn fault(run: &RunDir) -> Option<RunFault> {
    let (id, count) = majority(run)?;
    let found = run.id().map_or_else(
        || "a run without an identity".to_owned(),
        |id| format!("run {id}"),
    );
    let expected = format!("run {id}, which {count} files name");
    let misfit = StoreError::misfit(&run.config_path())(Misfit::Foreign { found, expected });
    Some(config_fault(run.path(), &misfit.into()))
}

/// Restores `run.toml` from its copy if the file cannot be used or belongs to another run than the
/// files around it. Returns the fault.
///
/// # Errors
/// If no copy fits. A usable `run.toml` of another run is kept if the repair `is_forced`.
pub(super) fn restore_config(path: &Path, is_forced: bool) -> Result<Vec<RunFault>> {
    let opened = RunDir::open(path).map_err(RunError::from);
    let fault = match opened.and_then(|run| Ok((RunFile::read(&run)?, run))) {
        Ok((_, run)) => match fault(&run) {
            None => return Ok(Vec::new()),
            Some(_) if is_forced => return Ok(Vec::new()),
            Some(fault) => fault,
        },
        Err(error @ RunError::Store(StoreError::NotARun { .. })) => return Err(error),
        Err(error) => config_fault(path, &error),
    };
    let name = path.join("train/run.toml").display().to_string();
    let refused = |reason: String| RunError::Missing(format!("{}. {reason}", fault.what));
    let Some(copy) = RunDir::config_copy(path)? else {
        return Err(refused(format!(
            "There is no copy in {name} either: put run.toml back from a copy of your own"
        )));
    };
    RunFile::parse(&name, &copy)?;
    if let Some((id, count)) = majority(&RunDir::with_config(path, &copy)) {
        return Err(refused(format!(
            "The copy in {name} does not belong to run {id}, which {count} files name, either: put \
             the run.toml of that run back from a copy of your own"
        )));
    }
    RunWriter::restore_config(path)?;
    Ok(vec![fault])
}
