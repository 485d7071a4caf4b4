//! Comparison of configurations: an experiment, from training to the verdict.
//!
//! Every arm is trained once with each seed, as an ordinary run: a new one, or a fork of a given
//! run, with the arm's settings from the next generation on. The arms of a seed take turns, one
//! generation each, and all get the same processor time: the time used by this process during an
//! arm's self-play, training and gates, so that other load on the machine affects all arms equally.
//! Ratings are free, because they only measure. Afterwards the champions and newest models of
//! different arms play each other, at equal simulations and at equal time, and [`verdict`] says
//! what the results prove.
//!
//! All finished work is committed, so a stopped comparison can resume.

mod arm;
mod matches;
mod record;
mod table;
mod training;
pub mod verdict;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rules::Variant;
use store::{CompareDir, RunDir};

use crate::plot::{self, Axis, Curve};
use crate::{RequestError, Result};
use roster::ModelSource;
use run::config::RunFile;
use run::{Ratings, StageProgress};

pub use arm::Arm;
pub use record::{
    ArmMatch, ArmResult, ArmTerms, CompareTerms, Comparison, Limit, MatchTerms, MatchedModels,
    Measure, PairResult, RunResult,
};
pub use table::progress;

/// The configurations of a comparison, and its terms.
#[derive(Clone, Debug)]
pub struct CompareSetup {
    /// The game.
    pub variant: Variant,
    /// At least two; results are relative to the first.
    pub arms: Vec<Arm>,
    /// The generation of a run, `DIR@N`, that every training continues; `None` for new runs.
    pub from: Option<String>,
    /// Each arm is trained once with each seed.
    pub seeds: Vec<u64>,
    /// Threads; part of the terms, because the budget counts time on all of them.
    pub threads: usize,
    /// Training time of each run on an otherwise idle machine: processor time divided by threads.
    pub budget: Duration,
    /// Terms of the matches.
    pub matches: MatchTerms,
}

/// Event of a comparison.
#[derive(Clone, Debug)]
pub enum CompareEvent {
    /// Progress of a training or a match.
    Progress(StageProgress),
    /// A run has a new rating, as a message.
    Rated(String),
}

/// Callback for events.
pub type CompareObserver<'a> = dyn FnMut(&CompareEvent) + 'a;

/// Runs or resumes the comparison in a directory until it is complete or `stop` is set; returns
/// whether it is complete. With a longer budget than before, the runs are trained further and all
/// matches are played again.
///
/// # Errors
/// If the directory holds a comparison with other terms, an arm cannot be configured, or the disk
/// fails.
pub fn compare(
    path: &Path,
    setup: &CompareSetup,
    stop: &AtomicBool,
    observer: &mut CompareObserver<'_>,
) -> Result<(Comparison, bool)> {
    let terms = setup.terms()?;
    let (dir, found) = CompareDir::open::<Comparison>(path)?;
    let mut comparison = match found {
        Some(mut found) => {
            found.resume(terms, path)?;
            found
        }
        None => Comparison::new(terms),
    };
    dir.commit(&comparison)?;
    let experiment = Experiment { dir, setup, stop };
    experiment.train(&mut comparison, observer)?;
    if !experiment.is_stopped() {
        experiment.draw_curves()?;
        experiment.play(&mut comparison, observer)?;
    }
    if experiment.is_stopped() {
        return Ok((comparison, false));
    }
    comparison.conclude(experiment.headline()?)?;
    experiment.dir.commit(&comparison)?;
    Ok((comparison, true))
}

/// A comparison in progress.
struct Experiment<'a> {
    dir: CompareDir,
    setup: &'a CompareSetup,
    stop: &'a AtomicBool,
}

/// `n` consecutive seeds.
///
/// # Errors
/// If the seeds would be too large.
pub fn seeds_from(first: u64, n: u64) -> Result<Vec<u64>, RequestError> {
    let seeds = (0..n).map(|k| first.checked_add(k)).collect::<Option<_>>();
    seeds.ok_or_else(|| RequestError(format!("--seed {first} is too large")))
}

impl CompareSetup {
    /// The terms as recorded in the results.
    fn terms(&self) -> Result<CompareTerms> {
        if self.arms.len() < 2 || self.seeds.is_empty() {
            let message = "a comparison needs at least two arms and one seed".to_owned();
            return Err(RequestError(message).into());
        }
        let mut names = BTreeSet::new();
        if let Some(arm) = self.arms.iter().find(|arm| !names.insert(&arm.name)) {
            let message = format!("two arms are called {}: give each its own name", arm.name);
            return Err(RequestError(message).into());
        }
        self.check_origin()?;
        let arms = self.arms.iter().map(|arm| arm.terms(self.variant));
        Ok(CompareTerms {
            variant: self.variant.name().to_owned(),
            arms: arms.collect::<Result<_>>()?,
            from: self.from.clone(),
            seeds: self.seeds.clone(),
            threads: self.threads,
            budget_s: self.budget.as_secs_f64(),
            matches: self.matches.clone(),
        })
    }

    /// Checks the run that all arms continue. It is needed until each arm is a fork of it.
    fn check_origin(&self) -> Result<()> {
        let Some(from) = &self.from else {
            return Ok(());
        };
        let ModelSource::Run(path, Some(_)) = ModelSource::of_path(from) else {
            let message = format!(
                "{from:?} is not a generation of a run: write RUN@N, as in runs/english@40"
            );
            return Err(RequestError(message).into());
        };
        if RunDir::is_run(&path) {
            let (found, wanted) = (RunFile::read(&RunDir::open(&path)?)?.variant, self.variant);
            if found != wanted {
                let message = format!("{from} is a run of {found}, not of {wanted}");
                return Err(RequestError(message).into());
            }
        }
        Ok(())
    }
}

impl Experiment<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The deciding measure: champions at equal simulations if all networks cost the same,
    /// otherwise at equal time.
    fn headline(&self) -> Result<Measure> {
        let networks = self.setup.arms.iter().map(|arm| {
            let run = self.dir.run_path(&arm.name, self.setup.seeds[0]);
            let model = RunFile::read(&RunDir::open(&run)?)?
                .settings_of(u32::MAX)?
                .config
                .model;
            Ok((model.shape(self.setup.variant)?, model.precision))
        });
        let mut networks: Vec<_> = networks.collect::<Result<_>>()?;
        networks.dedup();
        let limit = match networks.len() {
            1 => Limit::Simulations,
            _ => Limit::Time,
        };
        let who = MatchedModels::Champions;
        Ok(Measure { who, limit })
    }

    /// Draws the ratings of all runs that have any.
    fn draw_curves(&self) -> Result<()> {
        let mut curves = Vec::new();
        for arm in &self.setup.arms {
            for &seed in &self.setup.seeds {
                let run = RunDir::open(&self.dir.run_path(&arm.name, seed))?;
                let ratings: Ratings = run.ratings()?.unwrap_or_default();
                let name = format!("{}-{seed}", arm.name);
                let curve = Curve::of(name, &ratings.points, Axis::Time);
                curves.extend(curve.filter(|curve| !curve.points.is_empty()));
            }
        }
        if curves.is_empty() {
            return Ok(());
        }
        Ok(self.dir.write_curves(&plot::svg(&curves, Axis::Time))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_follow_each_other() {
        assert_eq!(seeds_from(7, 3), Ok(vec![7, 8, 9]));
        assert_eq!(seeds_from(u64::MAX, 1), Ok(vec![u64::MAX]));
        assert!(seeds_from(u64::MAX, 2).is_err());
    }
}
