//! One worker: steps many games in turn, with one evaluation batch per step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use search::{Batch, Evaluator, Search};
use store::Record;

use crate::game::{FinishedGame, GameInProgress, Wants};
use crate::{Job, NextNumber, SelfplayError};

/// Time used by a worker, and what it asked its evaluator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkerTime {
    /// Inside the evaluator: encoding and network.
    pub evaluator: Duration,
    /// From the worker's start to its end.
    pub total: Duration,
    /// Batches handed to the evaluator.
    pub batches: u64,
    /// Positions in these batches.
    pub asked: u64,
}

/// A slot for one game; its search is reused, so that its memory is allocated once.
struct GameSlot {
    search: Search,
    game: Option<GameInProgress>,
    pending: Option<usize>,
}

/// Plays games of `job`, at most `n_slots` at once, until `next` gives no more, or one of `stops` is set. Those of
/// which there are `records` follow these.
pub(crate) fn work(
    (job, records): (&Job<'_>, &[Record]),
    (next, n_slots): (&NextNumber<'_>, usize),
    stops: &[&AtomicBool],
    evaluator: &mut dyn Evaluator,
    mut emit: impl FnMut(FinishedGame),
) -> Result<WorkerTime, SelfplayError> {
    let started = Instant::now();
    let mut time = WorkerTime::default();
    let mut slots: Vec<GameSlot> = (0..n_slots.max(1)).map(|_| GameSlot::new(job)).collect();
    let mut batch = Batch::new();
    while !stops.iter().any(|stop| stop.load(Ordering::Relaxed)) {
        batch.clear();
        for slot in &mut slots {
            slot.fill((job, records), next, &mut batch, &mut emit)?;
        }
        if batch.is_empty() {
            break;
        }
        time.batches += 1;
        time.asked += batch.len() as u64;
        let before = Instant::now();
        evaluator.evaluate(&mut batch)?;
        time.evaluator += before.elapsed();
        for slot in &mut slots {
            if let Some(index) = slot.pending.take() {
                slot.search.absorb(&batch, index)?;
            }
        }
    }
    time.total = started.elapsed();
    Ok(time)
}

impl GameSlot {
    fn new(job: &Job<'_>) -> Self {
        Self {
            search: Search::new(
                job.config.search,
                Search::memory_for(job.config.full_simulations),
            ),
            game: None,
            pending: None,
        }
    }

    /// Steps this slot's game, and the following ones, up to its next request.
    fn fill(
        &mut self,
        (job, records): (&Job<'_>, &[Record]),
        next: &NextNumber<'_>,
        batch: &mut Batch,
        emit: &mut impl FnMut(FinishedGame),
    ) -> Result<(), SelfplayError> {
        loop {
            if self.game.is_none() {
                let Some(number) = next() else {
                    return Ok(());
                };
                let mut records = records.iter();
                let follows = records.find(|record| record.header.id.number == number);
                let game = GameInProgress::new(job, number, follows, &mut self.search);
                self.game = Some(game);
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
