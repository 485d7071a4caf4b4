//! Trains the arms in turns, at equal processor time.

use std::sync::atomic::{AtomicBool, Ordering};

use cpu_time::ProcessTime;
use store::{Phase, RunDir};
use types::tidy;

use super::record::{Comparison, RunResult};
use super::{CompareEvent, CompareObserver, Experiment};
use crate::Result;
use run::advance;
use run::origin::fork;
use run::{Event, MetricsLog, Run, RunObserver, StageProgress, StatusFile};

/// A run that is being trained.
struct Trainee {
    /// The index of its arm.
    arm: usize,
    /// The index of its seed.
    seed: usize,
    run: Run,
    metrics: MetricsLog,
    status: StatusFile,
}

impl Experiment<'_> {
    /// Trains all runs until they have used their time, or until it is stopped.
    pub(super) fn train(
        &self,
        comparison: &mut Comparison,
        observer: &mut CompareObserver<'_>,
    ) -> Result<()> {
        for seed in 0..self.setup.seeds.len() {
            self.train_seed(seed, comparison, observer)?;
        }
        Ok(())
    }

    /// Trains the runs of one seed in turns: the one with the least processor time is next.
    fn train_seed(
        &self,
        seed: usize,
        comparison: &mut Comparison,
        observer: &mut CompareObserver<'_>,
    ) -> Result<()> {
        let mut trainees: Vec<Option<Trainee>> = self.setup.arms.iter().map(|_| None).collect();
        while !self.is_stopped() {
            let runs = comparison.arms.iter().map(|arm| &arm.runs[seed]);
            let unfinished = runs
                .enumerate()
                .filter(|(_, run)| !run.is_trained(&comparison.terms));
            let least = unfinished.min_by(|(_, a), (_, b)| a.processor_s.total_cmp(&b.processor_s));
            let Some((arm, _)) = least else {
                break;
            };
            let trainee = match &mut trainees[arm] {
                Some(trainee) => trainee,
                none => none.insert(self.open(arm, seed)?),
            };
            self.turn(trainee, comparison, observer)?;
        }
        for trainee in trainees.iter_mut().flatten() {
            trainee.status.close(&trainee.run);
        }
        Ok(())
    }

    fn open(&self, arm: usize, seed: usize) -> Result<Trainee> {
        let settings = &self.setup.arms[arm];
        let path = self.dir.run_path(&settings.name, self.setup.seeds[seed]);
        let sources = settings.sources(self.setup, self.setup.seeds[seed]);
        let run = match &self.setup.from {
            Some(from) if !RunDir::is_run(&path) => fork(from, &path, &sources)?,
            _ => {
                let variant = self.setup.variant;
                Run::resume_or_create(&path, variant, sources.resolve(variant)?)?
            }
        };
        Ok(Trainee {
            arm,
            seed,
            metrics: MetricsLog::open(&run),
            status: StatusFile::open(&run),
            run,
        })
    }

    /// Runs stages of a run until its generation is finished or its time is used up.
    fn turn(
        &self,
        trainee: &mut Trainee,
        comparison: &mut Comparison,
        observer: &mut CompareObserver<'_>,
    ) -> Result<()> {
        let (arm, seed) = (trainee.arm, trainee.seed);
        let name = format!("{}-{}", self.setup.arms[arm].name, self.setup.seeds[seed]);
        let generation = trainee.run.state().generation;
        let budget = comparison.terms.processor_s();
        while trainee.run.state().generation == generation && !self.is_stopped() {
            let result = &comparison.arms[arm].runs[seed];
            if result.is_trained(&comparison.terms) {
                break;
            }
            let (so_far, counts) = (result.processor_s, trainee.run.state().next != Phase::Rate);
            let (clock, stop) = (ProcessTime::now(), AtomicBool::new(false));
            let used = || match counts {
                true => so_far + clock.elapsed().as_secs_f64(),
                false => so_far,
            };
            let mut watch = |run: &Run, event: &Event<'_>| {
                let used = used();
                if self.is_stopped() || used >= budget {
                    stop.store(true, Ordering::Relaxed);
                }
                let percent = (100.0 * (used / budget)).min(100.0) as u64;
                let note = format!("% of its time, generation {}", run.state().generation);
                let progress = StageProgress::new(&name, percent, 100, note);
                observer(&CompareEvent::Progress(progress));
                if let Event::Rated(point) = event {
                    let (elo, ci95) = (tidy(point.elo, 0), point.interval());
                    observer(&CompareEvent::Rated(format!(
                        "{name}: {percent} % of its time, generation {}, {elo:.0} ±{ci95:.0} Elo \
                         above random",
                        point.generation
                    )));
                }
                Ok(())
            };
            let (status, metrics) = (&mut trainee.status, &mut trainee.metrics);
            let mut observers: [&mut dyn RunObserver; 3] = [&mut watch, status, metrics];
            advance(&mut trainee.run, &stop, &mut observers)?;
            let state = trainee.run.state();
            comparison.arms[arm].runs[seed] = RunResult {
                seed: self.setup.seeds[seed],
                processor_s: used(),
                generations: state.generation - 1,
                games: state.games,
                steps: state.step,
                newest: state.newest.0,
                champion: state.champion.0,
            };
            self.dir.commit(comparison)?;
        }
        Ok(())
    }
}
