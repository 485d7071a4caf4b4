//! Training: the optimizer steps that the samples allow, and the new model.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use model::Model;
use model::backend::StepSums;
use store::{ModelId, Phase};

use super::validation::validate;
use crate::Ended;
use crate::metrics::{TrainSums, mean_losses};
use crate::{Event, Progress, Result, Run, RunObserver};

/// Steps between two points of the loss curves.
const STEPS_OF_A_POINT: u64 = 100;

/// Trains, writes the new model, and measures it on the run's endgame database.
///
/// # Errors
/// If training diverges, or the disk or the observer fails.
pub fn train(run: &mut Run, stop: &AtomicBool, observer: &mut dyn RunObserver) -> Result<Ended> {
    if let Some(fleet) = &run.fleet {
        fleet.play_ahead(run)?;
    }
    let newest = run.model(run.state.newest)?;
    let validation = validate(run, &newest)?;
    observer.observe(run, &Event::Validated(&validation))?;
    let config = run.config().train.clone();
    // Every new position has been drawn as often as configured then, with earlier values of the
    // setting for earlier positions.
    let (generation, samples) = (run.state.generation, run.state.samples);
    let last = run.file.steps_allowed(&config, generation, samples);
    let (stage, total) = (Phase::Train, last.saturating_sub(run.state.step));
    let done = 0;
    observer.observe(run, &Event::Planned { stage, total, done })?;
    let started = Instant::now();
    let seed = run.config().seed;
    let mut sums = TrainSums::new(&run.window, run.state.generation);
    let mut point = StepSums::default();
    while run.trainer.n_steps() < last {
        if stop.load(Ordering::Relaxed) {
            return Ok(Ended::Stopped);
        }
        let (trainer, window, endgame_samples) =
            (&mut run.trainer, &run.window, &run.endgame_samples);
        let pool = &run.hardware.pool;
        let steps = pool.install(|| trainer.step(window, endgame_samples, seed))?;
        if let Some(steps) = steps {
            take_in(run, &mut sums, &steps, observer)?;
            point.add(&steps);
        }
        if point.n_steps >= STEPS_OF_A_POINT && run.trainer.n_steps() < last {
            let losses = mean_losses(&std::mem::take(&mut point), &config);
            let (step, losses) = (run.trainer.n_steps(), &losses);
            observer.observe(run, &Event::Learned { step, losses })?;
        }
        let metrics = sums.metrics(&config, started.elapsed());
        let event = Event::Progress {
            done: run.trainer.n_steps() - run.state.step,
            so_far: Progress::Train(&metrics),
        };
        observer.observe(run, &event)?;
    }
    if let Some(steps) = run.trainer.report()? {
        take_in(run, &mut sums, &steps, observer)?;
    }
    let metrics = sums.metrics(&config, started.elapsed());
    save_candidate(run, newest.net_id())?;
    observer.observe(run, &Event::Trained(&metrics))?;
    measure_endgames(run, observer)?;
    Ok(Ended::Complete)
}

fn take_in(
    run: &Run,
    sums: &mut TrainSums,
    steps: &StepSums,
    observer: &mut dyn RunObserver,
) -> Result<()> {
    let step = run.trainer.n_steps() - 1;
    sums.add(steps, run.config().train.learning_rate_at(step));
    if steps.n_skipped > 0 {
        observer.observe(run, &Event::StepSkipped { step })?;
    }
    Ok(())
}

/// Writes the generation's model and the training state to resume from.
fn save_candidate(run: &mut Run, parent: String) -> Result<()> {
    let number = ModelId(run.state.generation);
    let model: Model = run.new_model(Some(parent))?;
    run.dir.save_model(number, |dir| model.save(dir))?;
    let trainer = &run.trainer;
    let id = run.dir.id();
    run.state.train = Some(run.dir.save_train(|dir| trainer.save(dir, id))?);
    run.state.newest = number;
    run.state.step = run.trainer.n_steps();
    Ok(())
}

/// Repeating the measurement of a model gives the same result.
fn measure_endgames(run: &Run, observer: &mut dyn RunObserver) -> Result<()> {
    let Some(oracle) = run
        .oracle
        .as_ref()
        .filter(|oracle| !oracle.sample.is_empty())
    else {
        return Ok(());
    };
    let config = run.config();
    let model = run.model(run.state.newest)?;
    let evaluators = run.evaluators(&model, roster::endgames::BATCH_SIZE)?;
    let score = eval::score_endgames(
        &oracle.sample,
        config.search.without_noise(),
        config.endgame.simulations,
        &mut evaluators.all(run.threads()),
    )?;
    observer.observe(run, &Event::Measured(&score))
}
