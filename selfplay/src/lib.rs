//! Self-play: workers that turn a model into game records.
//!
//! [`play_games`] plays a list of numbered games on one thread per evaluator. A game depends only
//! on the run's seed, its generation, its number and the network, not on the number of threads, the
//! other games in a batch or earlier stops.

mod config;
mod game;
mod retrace;
mod stats;
mod worker;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use search::{Evaluator, EvaluatorError, SearchConfig};
use store::{Header, Record};

pub use config::SelfplayConfig;
pub use retrace::{Agreement, retrace};
pub use stats::SelfplayStats;

use game::FinishedGame;

/// The games to play.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The search of every move that is not forced.
    pub search: &'a SearchConfig,
    /// The settings of games.
    pub config: &'a SelfplayConfig,
    /// The header of all records; each game fills in its number.
    pub header: &'a Header,
    /// The numbers of the games to play, ascending. [`play_stream`] requests its numbers one by one
    /// instead.
    pub numbers: &'a [u32],
}

/// The reasons for a failure of self-play.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// A worker thread panicked.
    #[error("a self-play worker stopped unexpectedly; please report this")]
    WorkerPanicked,
    /// The receiver of the records failed.
    #[error("failed to store a finished game: {0}")]
    Sink(SinkError),
}

/// The error of the receiver of the records.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Plays the games of `job` on one thread per evaluator, and passes every record to `sink` in ascending
/// order of game numbers.
///
/// When `stop` becomes true, the games in progress are dropped (they will be identical when
/// repeated); finished games waiting for a lower number are still passed on.
///
/// # Errors
/// The first failure of a worker or of `sink`, which stops all workers.
pub fn play_games<E: Evaluator + Send>(
    job: &Job<'_>,
    evaluators: &mut [E],
    stop: &AtomicBool,
    mut sink: impl FnMut(Record, &SelfplayStats) -> Result<(), SinkError>,
) -> Result<SelfplayStats, SelfplayError> {
    play_games_along(job, &[], &mut borrowed(evaluators), stop, &mut sink)
}

/// Without their type: the code below is compiled once, in this crate.
fn borrowed<E: Evaluator + Send>(evaluators: &mut [E]) -> Vec<Borrowed<'_>> {
    let each = evaluators.iter_mut();
    each.map(|evaluator| evaluator as Borrowed<'_>).collect()
}

type Borrowed<'a> = &'a mut (dyn Evaluator + Send);

/// Receives records, and the sums over the games so far.
type Sink<'a> = dyn FnMut(Record, &SelfplayStats) -> Result<(), SinkError> + 'a;

/// Like [`play_games`], but games with an entry in `records` follow its moves.
fn play_games_along(
    job: &Job<'_>,
    records: &[Record],
    evaluators: &mut [Borrowed<'_>],
    stop: &AtomicBool,
    sink: &mut Sink<'_>,
) -> Result<SelfplayStats, SelfplayError> {
    let place = AtomicUsize::new(0);
    let next = || {
        let place = place.fetch_add(1, Ordering::Relaxed);
        job.numbers.get(place).copied()
    };
    let games = Games {
        job,
        records,
        next: &next,
        n_slots: job.config.concurrent_games.min(job.numbers.len()),
    };
    play(games, evaluators, stop, &mut |receiver, stats| {
        collect(job.numbers, receiver, stats, sink)
    })
}

/// Plays the games with the numbers returned by `next` until it returns `None`, on one thread per
/// evaluator; passes every record to `sink` as soon as the game is over. Each game is the same as
/// in [`play_games`].
///
/// `next` is called from all threads, and again after it has returned `None` while games are in
/// progress. When `stop` becomes true, these are dropped.
///
/// # Errors
/// As [`play_games`].
pub fn play_stream<E: Evaluator + Send>(
    job: &Job<'_>,
    next: &NextNumber<'_>,
    evaluators: &mut [E],
    stop: &AtomicBool,
    mut sink: impl FnMut(Record) -> Result<(), SinkError>,
) -> Result<SelfplayStats, SelfplayError> {
    let games = Games {
        job,
        records: &[],
        next,
        n_slots: job.config.concurrent_games,
    };
    let evaluators = &mut borrowed(evaluators);
    play(games, evaluators, stop, &mut |receiver, stats| {
        receiver.iter().try_for_each(|finished| {
            stats.add_game(&finished);
            sink(finished.record).map_err(SelfplayError::Sink)
        })
    })
}

/// Returns the number of the next game; called from any thread.
pub type NextNumber<'a> = dyn Fn() -> Option<u32> + Sync + 'a;

/// The games that workers play.
#[derive(Clone, Copy)]
struct Games<'a> {
    job: &'a Job<'a>,
    /// Recorded games to follow, matched by number.
    records: &'a [Record],
    /// Returns the next number.
    next: &'a NextNumber<'a>,
    /// The number of concurrent games per worker.
    n_slots: usize,
}

/// Receives finished games until all workers have ended.
type Collect<'a> =
    dyn FnMut(mpsc::Receiver<FinishedGame>, &mut SelfplayStats) -> Result<(), SelfplayError> + 'a;

/// Plays games on one thread per evaluator while `collect` receives them.
fn play(
    games: Games<'_>,
    evaluators: &mut [Borrowed<'_>],
    stop: &AtomicBool,
    collect: &mut Collect<'_>,
) -> Result<SelfplayStats, SelfplayError> {
    let halt = AtomicBool::new(false);
    let mut stats = SelfplayStats::default();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel::<FinishedGame>();
        let workers: Vec<_> = evaluators
            .iter_mut()
            .map(|evaluator| {
                let sender = sender.clone();
                let halt = &halt;
                scope.spawn(move || {
                    let time = worker::work(games, &[stop, halt], *evaluator, &mut |finished| {
                        // A closed channel means that the run is stopping.
                        let _ = sender.send(finished);
                    });
                    if time.is_err() {
                        halt.store(true, Ordering::Relaxed);
                    }
                    time
                })
            })
            .collect();
        drop(sender);
        let collected = collect(receiver, &mut stats);
        if collected.is_err() {
            halt.store(true, Ordering::Relaxed);
        }
        for worker in workers {
            let work = worker.join().map_err(|_| SelfplayError::WorkerPanicked)??;
            stats.add_work(&work);
        }
        collected
    })?;
    Ok(stats)
}

/// Passes the records on in order of their numbers.
fn collect(
    numbers: &[u32],
    receiver: mpsc::Receiver<FinishedGame>,
    stats: &mut SelfplayStats,
    sink: &mut Sink<'_>,
) -> Result<(), SelfplayError> {
    let mut waiting = BTreeMap::new();
    let mut expected = numbers.iter();
    let mut due = expected.next();
    for finished in receiver {
        stats.add_game(&finished);
        waiting.insert(finished.record.header.id.number, finished.record);
        while let Some(record) = due.and_then(|number| waiting.remove(number)) {
            sink(record, stats).map_err(SelfplayError::Sink)?;
            due = expected.next();
        }
    }
    for record in waiting.into_values() {
        sink(record, stats).map_err(SelfplayError::Sink)?;
    }
    Ok(())
}
