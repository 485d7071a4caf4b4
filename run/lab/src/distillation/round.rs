//! One round: games, training, match.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use distill::{Collector, Config, Examples, PlayJob, Teacher, Training};
use nnue::Network;
use rules::Variant;
use store::{DistillDir, Games, Header, RunDir};
use xxhash_rust::xxh3::Xxh3;

use super::unfinished::{seal, unseal};
use super::{
    Contest, DistillBudget, DistillEvent, DistillObserver, DistillRound, DistillSettings,
    TrainingLength,
};
use crate::{RequestError, Result, RunError};
use roster::EvaluationError;
use run::{StageProgress, Within as _};

/// Steps between checks of the clock.
const STEPS_AT_ONCE: u64 = 20;
/// Steps that are timed to estimate the total number.
const MEASURED_STEPS: u64 = 60;
/// See [`TrainingLength::Passes`].
const PASSES: u64 = 20;
/// Minimum number of steps, however few positions there are.
const FEWEST_STEPS: u64 = 60;
/// Time between saved states.
pub(super) const SAVE_INTERVAL: Duration = Duration::from_secs(30);

/// A named evaluation.
pub(super) struct Rival {
    pub(super) name: String,
    pub(super) teacher: Teacher,
}

/// A round in progress.
pub(super) struct Round<'a> {
    pub(super) number: u32,
    pub(super) variant: Variant,
    pub(super) settings: &'a DistillSettings,
    pub(super) budget: &'a DistillBudget,
    pub(super) dir: &'a DistillDir,
    /// The best evaluation so far.
    pub(super) best: Rival,
    pub(super) stop: &'a AtomicBool,
}

impl Round<'_> {
    /// Plays, trains and compares; `None` if it was stopped. A round that learns from a run alone
    /// has no opponent to play with.
    pub(super) fn make(
        &self,
        pool: &rayon::ThreadPool,
        observer: &mut DistillObserver<'_>,
    ) -> Result<Option<(DistillRound, Network)>> {
        if self.number > 0 && !pool.install(|| self.play(observer))? {
            return Ok(None);
        }
        let mut examples = self.gather(observer)?;
        if !pool.install(|| self.relabel(&mut examples, observer))? {
            return Ok(None);
        }
        let Some(training) = pool.install(|| self.train(&examples, observer))? else {
            return Ok(None);
        };
        let network = training
            .network()
            .map_err(EvaluationError::from)
            .within(|| "training diverged: try another seed".to_owned())?;
        let mut contest = None;
        if self.number > 0 {
            contest = self.compare(network.clone(), observer)?;
            if contest.is_none() {
                return Ok(None);
            }
        }
        let is_good = |contest: &Contest| contest.counts.score() >= 0.5;
        let round = DistillRound {
            round: self.number,
            examples: examples.summary,
            steps: training.step(),
            held_out: training.loss(&examples.held_out),
            kept: contest.as_ref().is_none_or(is_good),
            contest,
        };
        Ok(Some((round, network)))
    }

    /// The progress of a part of the round.
    pub(super) fn progress(
        &self,
        what: &str,
        done: u64,
        total: u64,
        note: String,
    ) -> DistillEvent<'static> {
        let name = format!("Round {}: {what}", self.number);
        DistillEvent::Progress(StageProgress::new(name, done, total, note))
    }

    /// Plays the games of the round that are not on disk yet; returns whether all of them exist
    /// now.
    fn play(&self, observer: &mut DistillObserver<'_>) -> Result<bool> {
        let mut writer = Games::new(&self.dir.games_path(), self.variant).writer(self.number)?;
        let total = self.settings.play.games;
        let numbers: Vec<u32> = (0..total)
            .filter(|number| !writer.numbers().contains(number))
            .collect();
        if numbers.is_empty() {
            return Ok(true);
        }
        let seed = self.settings.learning.seed;
        let header = Header::new(self.variant, seed, self.number, &self.best.name);
        let mut outcome = Ok(());
        let mut sink = |record| {
            outcome = writer.append(&record).map(|_| ());
            let done = writer.numbers().len() as u64;
            observer(&self.progress("playing", done, total.into(), String::new()));
            match outcome {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        };
        let job = PlayJob {
            header: &header,
            numbers: &numbers,
            config: &self.settings.play,
        };
        self.best.teacher.play_games(job, self.stop, &mut sink);
        outcome?;
        writer.sync()?;
        Ok(writer.numbers().len() == total as usize)
    }

    /// The positions of the run and of all rounds so far.
    fn gather(&self, observer: &mut DistillObserver<'_>) -> Result<Examples> {
        let settings = self.settings;
        let mut collector = Collector::new(self.variant, &settings.learning);
        let mut sources = Vec::new();
        if let Some(run) = &settings.run {
            let games = RunDir::open(run)?.games(self.variant);
            sources.extend(
                games
                    .generations()?
                    .into_iter()
                    .map(|id| (games.clone(), id)),
            );
        }
        let games = Games::new(&self.dir.games_path(), self.variant);
        sources.extend((1..=self.number).map(|id| (games.clone(), id)));
        let total = sources.len() as u64;
        for (done, (games, generation)) in (1..).zip(sources) {
            for record in games.read(generation)?.records {
                collector.add(&record);
            }
            let note = format!("{} positions", collector.n_positions());
            let progress = StageProgress::new("Reading games", done, total, note);
            observer(&DistillEvent::Progress(progress));
        }
        let examples = collector.finish(&settings.learning);
        if examples.training.is_empty() || examples.held_out.is_empty() {
            let message = match &settings.run {
                Some(run) => format!(
                    "the run {} has too few finished games to learn from: train it longer",
                    run.display()
                ),
                None => "there are too few finished games to train on: play more".to_owned(),
            };
            return Err(RunError::Missing(message));
        }
        Ok(examples)
    }

    /// Continues the saved training or starts it; `None` if it was stopped.
    fn train(
        &self,
        examples: &Examples,
        observer: &mut DistillObserver<'_>,
    ) -> Result<Option<Training>> {
        let key = self.key(examples)?;
        let file = self.dir.training(self.number)?;
        let mut training = match file.as_deref().and_then(|bytes| unseal(key, bytes)) {
            Some(content) => self.resume(content)?,
            None => self.begin(examples),
        };
        let save = |training: &Training| -> Result<()> {
            let bytes = seal(key, &training.to_bytes()?);
            Ok(self.dir.save_training(self.number, &bytes)?)
        };
        let mut saved = Instant::now();
        let mut shown = None;
        while !training.is_finished() {
            let total = training.config().steps;
            let loss = training.advance(examples, STEPS_AT_ONCE.min(total - training.step()));
            let error = shown.map_or(loss, |mean: f64| 0.95 * mean + 0.05 * loss);
            shown = Some(error);
            let note = format!("error {error:.4}");
            observer(&self.progress("training", training.step(), total, note));
            let is_stopped = self.stop.load(Ordering::Relaxed);
            if is_stopped || saved.elapsed() >= SAVE_INTERVAL {
                save(&training)?;
                saved = Instant::now();
            }
            if is_stopped {
                return Ok(None);
            }
        }
        save(&training)?;
        Ok(Some(training))
    }

    /// A hash of everything that the training depends on except its length.
    fn key(&self, examples: &Examples) -> Result<u64> {
        let mut key = Xxh3::new();
        let config = Config {
            steps: 0,
            ..self.settings.learning
        };
        key.update(format!("{} {config:?}", self.variant).as_bytes());
        if let Teacher::Network(best) = &self.best.teacher {
            key.update(&best.to_bytes().map_err(EvaluationError::from)?);
        }
        for word in examples.lessons().flatten() {
            key.update(&word.to_le_bytes());
        }
        Ok(key.digest())
    }

    /// Loads the saved training.
    fn resume(&self, bytes: &[u8]) -> Result<Training> {
        let path = self.dir.training_path(self.number);
        let training =
            Training::from_bytes(bytes).within(|| format!("failed to read {}", path.display()))?;
        let (found, asked) = (training.config().steps, self.settings.learning.steps);
        if self.budget.training == TrainingLength::Steps && found != asked {
            let path = path.display();
            return Err(RequestError(format!(
                "{path} is a training of {found} steps, not {asked}: use the same time or number \
                 of steps, or another directory"
            ))
            .into());
        }
        Ok(training)
    }

    /// The best network so far or an untrained one, before its first step.
    fn begin(&self, examples: &Examples) -> Training {
        let config = self.settings.learning;
        let mut training = match &self.best.teacher {
            Teacher::Network(best) => Training::from_network(best, config),
            Teacher::Material => Training::new(self.variant, config),
        };
        let passes = PASSES * examples.training.len() as u64 / config.batch as u64;
        match self.budget.training {
            TrainingLength::Steps => {}
            TrainingLength::Passes => training.set_steps(passes.max(FEWEST_STEPS)),
            TrainingLength::PassesWithin(time) => {
                let mut trial = training.clone();
                let started = Instant::now();
                trial.advance(examples, MEASURED_STEPS);
                let a_step = started.elapsed().as_secs_f64() / MEASURED_STEPS as f64;
                let steps = (time.as_secs_f64() / a_step) as u64;
                training.set_steps(passes.min(steps).max(FEWEST_STEPS));
            }
        }
        training
    }
}
