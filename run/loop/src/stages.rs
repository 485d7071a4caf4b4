//! The stages of a generation. Each starts from the files of the run directory, writes its result
//! there, and can be repeated with the same result.

mod budget;
mod gate;
mod rate;
mod self_play;
mod train;
mod validation;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use store::Phase;

use crate::{Ended, Event, Result, Run, RunObserver};

pub use gate::gate;
pub use rate::{measure_rating, rate};
pub use self_play::{GameTerms, self_play};
pub use train::train;

/// Runs the next stage, and commits it if it completes.
///
/// # Errors
/// Any error of the stage or an observer. The run can be opened again and resumes at the start of
/// the stage.
pub fn advance(run: &mut Run, stop: &AtomicBool, observer: &mut dyn RunObserver) -> Result<Ended> {
    let started = Instant::now();
    let (stage, generation) = (run.state.next, run.state.generation);
    tracing::info!(generation, ?stage, "stage begins");
    observer.observe(run, &Event::StageStarted)?;
    let ended = match stage {
        Phase::SelfPlay => self_play(run, stop, observer),
        Phase::Train => train(run, stop, observer),
        Phase::Gate => gate(run, stop, observer),
        Phase::Rate => rate(run, stop, observer),
    }
    .inspect_err(|error| tracing::error!(generation, ?stage, %error, "stage failed"))?;
    let elapsed = started.elapsed();
    run.state.seconds += elapsed.as_secs_f64();
    if ended == Ended::Complete {
        run.state.advance();
        if run.state.next == Phase::SelfPlay {
            run.begin_generation()?;
        }
        run.dir.commit(&run.state)?;
        if run.state.next == Phase::SelfPlay {
            budget::keep(run)?;
        }
    }
    tracing::info!(
        generation,
        ?stage,
        ?ended,
        seconds = elapsed.as_secs_f64(),
        "stage ended"
    );
    let event = Event::StageEnded {
        stage,
        generation,
        ended,
        elapsed,
    };
    observer.observe(run, &event)?;
    Ok(ended)
}

/// Runs stages until `stop` is set or generation `last`, counted from the start of the run, is
/// finished. The time of a stopped stage counts too.
///
/// # Errors
/// As [`advance`].
pub fn advance_until(
    run: &mut Run,
    last: Option<u32>,
    stop: &AtomicBool,
    observer: &mut dyn RunObserver,
) -> Result<()> {
    while !stop.load(Ordering::Relaxed) && last.is_none_or(|last| run.state.generation <= last) {
        advance(run, stop, observer)?;
    }
    Ok(run.dir.commit(&run.state)?)
}
