//! A worker: advances many games in turn, with one evaluation batch per step.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use search::{Batch, Evaluator, Search};

use crate::game::{FinishedGame, GameInProgress, Wants};
use crate::{Games, Job, SelfplayError, SelfplayStats};

/// A slot for one game. Its search is reused, so that memory is allocated once.
struct GameSlot {
    search: Search,
    game: Option<GameInProgress>,
    pending: Option<usize>,
}

/// Plays games until there are no more, or one of `stops` is set. Returns its time and its batches.
pub(crate) fn work(
    games: Games<'_>,
    stops: &[&AtomicBool],
    evaluator: &mut dyn Evaluator,
    emit: &mut dyn FnMut(FinishedGame),
) -> Result<SelfplayStats, SelfplayError> {
    let started = Instant::now();
    let mut work = SelfplayStats::default();
    let slots = (0..games.n_slots.max(1)).map(|_| GameSlot::new(games.job));
    let mut slots: Vec<GameSlot> = slots.collect();
    let mut batch = Batch::new();
    while !stops.iter().any(|stop| stop.load(Ordering::Relaxed)) {
        batch.clear();
        for slot in &mut slots {
            slot.fill(games, &mut batch, emit);
        }
        if batch.is_empty() {
            break;
        }
        work.batches += 1;
        work.asked += batch.len() as u64;
        let before = Instant::now();
        evaluator.evaluate(&mut batch)?;
        work.evaluator_time += before.elapsed();
        for slot in &mut slots {
            if let Some(index) = slot.pending.take() {
                slot.search.absorb(&batch, index)?;
            }
        }
    }
    work.worker_time = started.elapsed();
    Ok(work)
}

impl GameSlot {
    fn new(job: &Job<'_>) -> Self {
        Self {
            search: Search::new(*job.search, Search::memory_for(job.search.simulations)),
            game: None,
            pending: None,
        }
    }

    /// Advances the slot's game, and the following ones, to the next request.
    fn fill(&mut self, games: Games<'_>, batch: &mut Batch, emit: &mut dyn FnMut(FinishedGame)) {
        loop {
            if self.game.is_none() {
                self.game = (games.next)().map(|number| {
                    let mut records = games.records.iter();
                    let follows = records.find(|record| record.header.id.number == number);
                    GameInProgress::new(games.job, number, follows, &mut self.search)
                });
            }
            let Some(game) = &mut self.game else {
                return;
            };
            match game.advance(games.job, &mut self.search, batch) {
                Wants::Reply(index) => {
                    self.pending = Some(index);
                    return;
                }
                Wants::Nothing(finished) => {
                    self.game = None;
                    emit(*finished);
                }
            }
        }
    }
}
