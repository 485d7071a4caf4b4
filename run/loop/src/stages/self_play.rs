//! Self-play: numbered games by the newest model.

mod terms;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use model::Model;
use search::{Batch, Evaluator, EvaluatorError};
use selfplay::{SelfplayStats, play_games};
use store::{GameWriter, ModelId, Phase};

use crate::Ended;
use crate::metrics::Generation;
use crate::{Event, Progress, Result, Run, RunObserver};

pub use terms::GameTerms;

/// Plays the games of the generation that are not on disk yet, and adds all of them to the window.
///
/// # Errors
/// If a network, a model, the disk or the observer fails.
pub fn self_play(
    run: &mut Run,
    stop: &AtomicBool,
    observer: &mut dyn RunObserver,
) -> Result<Ended> {
    let started = Instant::now();
    let played = match &run.fleet {
        Some(fleet) => fleet.play_games(run, stop, observer)?,
        None => play(run, stop, observer)?,
    };
    let Some(stats) = played else {
        return Ok(Ended::Stopped);
    };
    let elapsed = started.elapsed();
    let games = learn_of_games(run)?;
    let config = run.config().self_play();
    let metrics = games.metrics(&stats, &run.config().search, &config, elapsed);
    observer.observe(run, &Event::Played(&metrics))?;
    Ok(Ended::Complete)
}

/// Plays the games; returns `None` if it was stopped before all games were finished.
fn play(
    run: &Run,
    stop: &AtomicBool,
    observer: &mut dyn RunObserver,
) -> Result<Option<SelfplayStats>> {
    let total = run.config().selfplay.games_per_generation;
    let model = run.selfplay_model()?;
    let mut writer = run.game_writer()?;
    let numbers: Vec<u32> = (0..total)
        .filter(|n| !writer.numbers().contains(n))
        .collect();
    let terms = GameTerms::of_generation(&run.file, run.state.generation, model.net_id())?;
    let evaluators = run.evaluators(&model, terms.selfplay.concurrent_games)?;
    let (stage, total) = (Phase::SelfPlay, u64::from(total));
    let done = total - numbers.len() as u64;
    observer.observe(run, &Event::Planned { stage, total, done })?;
    let started = Instant::now();
    run.asked().store(0, Ordering::Relaxed);
    // Each has a cache, which a thread without a game would not use.
    let n_threads = run.threads().min(numbers.len().max(1));
    let counted = evaluators.all(n_threads).into_iter();
    let counted = counted.map(|evaluator| Counted {
        evaluator,
        asked: run.asked(),
    });
    let mut evaluators: Vec<_> = counted.collect();
    let stats = play_games(
        &terms.job(&numbers),
        &mut evaluators,
        stop,
        |record, stats| {
            writer.append(&record)?;
            let progress = Event::Progress {
                done: done + stats.games,
                so_far: Progress::SelfPlay(stats, started.elapsed()),
            };
            Ok(observer.observe(run, &progress)?)
        },
    )?;
    writer.sync()?;
    Ok((done + stats.games == total).then_some(stats))
}

/// An evaluator that counts what it is asked.
struct Counted<'a, E> {
    evaluator: E,
    asked: &'a AtomicU64,
}

impl<E: Evaluator> Evaluator for Counted<'_, E> {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        self.asked.fetch_add(batch.len() as u64, Ordering::Relaxed);
        self.evaluator.evaluate(batch)
    }
}

impl Run {
    /// Opens the games of the current generation for appending.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn game_writer(&self) -> Result<GameWriter> {
        let writer = self
            .dir
            .games(self.variant())
            .writer(self.state.generation)?;
        for damage in writer.damage() {
            tracing::warn!(?damage, "damaged games will be played again");
        }
        Ok(writer)
    }

    /// Moves the games of the current generation to `set-aside/` with the reason, so that all of
    /// them are played again.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn set_games_aside(&self, why: &str) -> Result<()> {
        let (variant, generation) = (self.variant(), self.state.generation);
        Ok(self.dir.set_games_aside(variant, generation, why)?)
    }

    /// The model that plays the games of the current generation.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn selfplay_model(&self) -> Result<Model> {
        let lag = self.config().fleet.lag;
        self.model(ModelId(self.state.newest.0.saturating_sub(lag)))
    }
}

/// Adds this generation's games to the window, exactly as opening the run would.
fn learn_of_games(run: &mut Run) -> Result<Generation> {
    let games = run.dir.games(run.variant()).read(run.state.generation)?;
    let mut generation = Generation::default();
    for record in &games.records {
        generation.add(record);
        run.window.push(record);
        run.state.positions += record.plies.len() as u64;
    }
    run.state.games += games.records.len() as u64;
    run.state.samples = run.window.n_seen();
    Ok(generation)
}
