//! Which of several configurations learns better: an experiment, from training to the verdict.
//!
//! Every arm is trained once with each seed, as an ordinary run. The arms of a seed take turns, a generation
//! each, and all get the same processor time: what this process uses while an arm's self-play, training and
//! gates are under way, so that a busy machine is fair to all. Ratings cost nothing: they only measure.
//! Afterwards the runs of different arms meet, champions and newest models, at equal simulations and at
//! equal time, and [`verdict`] says what that proves.
//!
//! Whatever is finished is committed, so that a comparison which was stopped goes on.

mod arm;
mod matches;
mod record;
mod table;
mod training;
pub mod verdict;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use eval::MatchResult;
use rules::Variant;
use store::{CompareDir, RunDir};

use crate::plot::{self, Axis, Curve};
use crate::{RequestError, Result};
use run::{Event, Ratings, Run, StageProgress};

pub use arm::Arm;
pub use record::{
    ArmMatch, ArmResult, ArmTerms, CompareTerms, Comparison, Limit, MatchTerms, Measure,
    PairResult, RunResult, Who,
};
pub use table::progress;

/// What is compared, and how.
#[derive(Clone, Debug)]
pub struct CompareSetup {
    /// The game.
    pub variant: Variant,
    /// At least two; results are relative to the first.
    pub arms: Vec<Arm>,
    /// Each arm is trained once with each of them.
    pub seeds: Vec<u64>,
    /// Threads; they are part of the terms, since the budget is counted on all of them.
    pub threads: usize,
    /// Training time of each run, on a machine that does nothing else: the processor time by the threads.
    pub budget: Duration,
    /// The matches.
    pub matches: MatchTerms,
}

/// Something that happened in a comparison.
#[derive(Clone, Copy)]
pub enum CompareEvent<'a> {
    /// A run is being trained.
    Training {
        /// Its arm.
        arm: &'a str,
        /// Its seed.
        seed: u64,
        /// The run.
        run: &'a Run,
        /// What happens in it.
        event: &'a Event<'a>,
        /// The share of its budget that it has used up, 0 to 1.
        used: f64,
    },
    /// Two runs meet.
    Match {
        /// In what.
        measure: Measure,
        /// The result so far.
        result: &'a MatchResult,
        /// Pairs in all.
        total: u64,
    },
}

impl CompareEvent<'_> {
    /// How far the work is.
    pub fn stage(&self) -> StageProgress {
        match *self {
            CompareEvent::Training {
                arm,
                seed,
                run,
                used,
                ..
            } => {
                let note = format!("% of its time, generation {}", run.state().generation);
                StageProgress::new(format!("{arm}-{seed}"), percent(used), 100, note)
            }
            CompareEvent::Match {
                measure,
                result,
                total,
            } => {
                let [a, b] = &result.names;
                let name = format!("{measure}: {a} against {b}");
                let note = format!("Elo {}", result.elo());
                StageProgress::new(name, result.pairs_played(), total, note)
            }
        }
    }

    /// A rating of a run, in words, when there is a new one.
    pub fn rating(&self) -> Option<String> {
        let CompareEvent::Training {
            arm,
            seed,
            event: Event::Rated(point),
            used,
            ..
        } = self
        else {
            return None;
        };
        let (used, generation) = (percent(*used), point.generation);
        let (elo, interval) = (point.elo, point.interval());
        Some(format!(
            "{arm}-{seed}: {used} % of its time, generation {generation}, {elo:.0} ±{interval:.0} Elo above random"
        ))
    }
}

/// Of a share that may be above 1.
fn percent(share: f64) -> u64 {
    (100.0 * share).min(100.0) as u64
}

/// Who is told of it.
pub type CompareObserver<'a> = dyn FnMut(&CompareEvent<'_>) -> run::Result<()> + 'a;

/// Goes on with the comparison in a directory, or begins one, until it is complete or `stop` is set;
/// whether it is complete. One with a longer budget than before trains its runs further and plays its
/// matches anew.
///
/// # Errors
/// When the directory holds a comparison on other terms, an arm cannot be configured, or the disk refuses.
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
            found.go_on(terms, path)?;
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

/// A comparison that this process works on.
struct Experiment<'a> {
    dir: CompareDir,
    setup: &'a CompareSetup,
    stop: &'a AtomicBool,
}

/// So many seeds in a row.
///
/// # Errors
/// When there are no seeds that large.
pub fn seeds_from(first: u64, n: u64) -> Result<Vec<u64>, RequestError> {
    let seeds = (0..n).map(|k| first.checked_add(k)).collect::<Option<_>>();
    seeds.ok_or_else(|| RequestError(format!("--seed {first} is too large")))
}

impl CompareSetup {
    /// The terms as results name them.
    fn terms(&self) -> Result<CompareTerms> {
        if self.arms.len() < 2 || self.seeds.is_empty() {
            let message = "a comparison needs two arms at least, and a seed".to_owned();
            return Err(RequestError(message).into());
        }
        let mut names: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!(
                "two arms are called {}: give each a name of its own",
                twice[0]
            );
            return Err(RequestError(message).into());
        }
        let arms = self.arms.iter().map(|arm| arm.terms(self.variant));
        Ok(CompareTerms {
            variant: self.variant.name().to_owned(),
            arms: arms.collect::<Result<_>>()?,
            seeds: self.seeds.clone(),
            threads: self.threads,
            budget_s: self.budget.as_secs_f64(),
            matches: self.matches.clone(),
        })
    }
}

impl Experiment<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The measure that decides: champions at equal simulations where all networks cost the same, else at
    /// equal time.
    fn headline(&self) -> Result<Measure> {
        let networks = self.setup.arms.iter().map(|arm| {
            let model = arm.resolve(self.setup, self.setup.seeds[0])?.config.model;
            Ok((model.shape(self.setup.variant)?, model.precision))
        });
        let mut networks: Vec<_> = networks.collect::<Result<_>>()?;
        networks.dedup();
        let limit = match networks.len() {
            1 => Limit::Simulations,
            _ => Limit::Time,
        };
        let who = Who::Champions;
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
