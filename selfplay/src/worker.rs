//! One worker: many games stepped in turn, one evaluation batch a step.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use search::{Batch, Evaluator, Search};

use crate::game::{Finished, GameInProgress, Wants};
use crate::{Job, SelfplayError};

/// Where a worker's time went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkerTime {
    /// Inside the evaluator: encoding and network.
    pub evaluator: Duration,
    /// From the worker's start to its end.
    pub total: Duration,
}

/// A seat for one game: the search outlives the games, so that its memory is allocated once.
struct Seat {
    search: Search,
    game: Option<GameInProgress>,
    pending: Option<usize>,
}

/// Plays games of `job` until none is left to start, or one of `stops` is set.
///
/// `next` indexes the job's list of game numbers and is shared by all workers.
pub(crate) fn work(
    job: &Job<'_>,
    next: &AtomicUsize,
    stops: &[&AtomicBool],
    evaluator: &mut dyn Evaluator,
    mut emit: impl FnMut(Finished),
) -> Result<WorkerTime, SelfplayError> {
    let started = Instant::now();
    let mut time = WorkerTime::default();
    let n_seats = job.config.concurrent_games.min(job.numbers.len()).max(1);
    let mut seats: Vec<Seat> = (0..n_seats).map(|_| Seat::new(job)).collect();
    let mut batch = Batch::new();
    while !stops.iter().any(|stop| stop.load(Ordering::Relaxed)) {
        batch.clear();
        for seat in &mut seats {
            seat.fill(job, next, &mut batch, &mut emit)?;
        }
        if batch.is_empty() {
            break;
        }
        let before = Instant::now();
        evaluator.evaluate(&mut batch)?;
        time.evaluator += before.elapsed();
        for seat in &mut seats {
            if let Some(index) = seat.pending.take() {
                seat.search.absorb(&batch, index)?;
            }
        }
    }
    time.total = started.elapsed();
    Ok(time)
}

impl Seat {
    fn new(job: &Job<'_>) -> Self {
        Self {
            search: Search::new(
                job.config.search,
                Search::memory_for(job.config.full_simulations),
            )
            .with_prover(job.prover.cloned()),
            game: None,
            pending: None,
        }
    }

    /// Steps this seat's game, and the games that follow it, up to its next request.
    fn fill(
        &mut self,
        job: &Job<'_>,
        next: &AtomicUsize,
        batch: &mut Batch,
        emit: &mut impl FnMut(Finished),
    ) -> Result<(), SelfplayError> {
        loop {
            if self.game.is_none() {
                let Some(&number) = job.numbers.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    return Ok(());
                };
                self.game = Some(GameInProgress::new(job, number, &mut self.search));
            }
            let Some(game) = &mut self.game else {
                return Ok(());
            };
            match game.advance(job, &mut self.search, batch)? {
                Wants::Reply(index) => {
                    self.pending = Some(index);
                    return Ok(());
                }
                Wants::Nothing(finished) => {
                    self.game = None;
                    emit(*finished);
                }
            }
        }
    }
}
