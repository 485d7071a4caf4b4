//! Chunks of an assignment, as the threads of this machine play them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use eval::EvalError;
use search::Evaluator;
use selfplay::{Job, SelfplayStats, play_stream};
use share::{Assignment, Ready};
use store::Record;

use crate::Result;

/// Receives a finished chunk: its number, and its games or pairs in order.
pub(crate) type Finished<'a, T> = dyn FnMut(u32, Vec<T>) + 'a;

/// Gives the chunks of an assignment to the threads of this machine.
#[derive(Clone, Copy)]
pub(crate) struct ChunkSource<'a> {
    pub(crate) assignment: &'a Assignment,
    /// Claims a chunk; `None` if there is none left.
    pub(crate) claim: &'a (dyn Fn(Ready) -> Option<u32> + Sync),
    /// Threads that play.
    pub(crate) threads: usize,
    /// Stops between two moves.
    pub(crate) stop: &'a AtomicBool,
}

impl ChunkSource<'_> {
    /// Plays self-play games until no chunk is left, and hands each chunk to `finished` as soon as
    /// all of its games are over. Threads start the next chunk while the last games of one are in
    /// progress; they repeat chunks of other machines only if there was nothing else at the start.
    pub(crate) fn play_games<E: Evaluator + Send>(
        &self,
        job: &Job<'_>,
        evaluators: &mut [E],
        finished: &mut Finished<'_, Record>,
    ) -> Result<SelfplayStats> {
        let (assignment, claim) = (self.assignment, self.claim);
        let began = [Ready::ForUnclaimed, Ready::ForAnything]
            .into_iter()
            .find_map(|ready| Some((ready, claim(ready)?)));
        let Some((ready, first)) = began else {
            return Ok(SelfplayStats::default());
        };
        // The rest of the last claimed chunk; `None` if there was none left to claim.
        let numbers: Mutex<Option<Range<u32>>> = Mutex::new(Some(assignment.numbers(first)));
        let next = || {
            let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
            if numbers.as_ref()?.is_empty() {
                *numbers = claim(ready).map(|chunk| assignment.numbers(chunk));
            }
            numbers.as_mut()?.next()
        };
        let mut open: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
        let stats = play_stream(job, &next, evaluators, self.stop, |record| {
            let chunk = assignment.chunk_of(record.header.id.number);
            let games = open.entry(chunk).or_default();
            games.push(record);
            if games.len() == assignment.numbers(chunk).len() {
                games.sort_by_key(|game| game.header.id);
                finished(chunk, std::mem::take(games));
            }
            Ok(())
        })?;
        Ok(stats)
    }

    /// Lets each thread `play` one chunk at a time until none is left, and hands complete ones to
    /// `finished`. Returns the number of items.
    pub(crate) fn play_each<T: Send>(
        &self,
        play: &(dyn Fn(u32) -> std::result::Result<Option<Vec<T>>, EvalError> + Sync),
        finished: &mut Finished<'_, T>,
    ) -> Result<u64> {
        let mut n_items = 0;
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..self.threads {
                let sender = sender.clone();
                scope.spawn(move || {
                    while !self.stop.load(Ordering::Relaxed)
                        && let Some(chunk) = (self.claim)(Ready::ForAnything)
                        && sender.send((chunk, play(chunk))).is_ok()
                    {}
                });
            }
            drop(sender);
            for (chunk, items) in receiver {
                if let Some(items) = items? {
                    n_items += items.len() as u64;
                    finished(chunk, items);
                }
            }
            Ok(n_items)
        })
    }
}

#[cfg(test)]
mod tests {
    use rules::Variant;
    use search::{SearchConfig, Uniform};
    use selfplay::SelfplayConfig;
    use share::Work;
    use store::{Header, RunId};

    use super::*;

    /// The requests of a machine, and the chunks it plays of four, if `unclaimed` of them are
    /// unclaimed.
    fn asked_and_played(unclaimed: u32) -> (Vec<Ready>, Vec<u32>) {
        let variant = Variant::GAMES[0];
        let config = SelfplayConfig {
            fast_simulations: 2,
            full_fraction: 0.5,
            concurrent_games: 3,
            opening_plies: 4,
            max_plies: 12,
            games_per_generation: 8,
        };
        let header = Header::new(variant, 7, 1, "uniform");
        let search = SearchConfig {
            simulations: 2,
            ..SearchConfig::PAPER
        };
        let job = Job {
            search: &search,
            config: &config,
            header: &header,
            numbers: &[],
        };
        let network = String::new();
        let assignment = Assignment {
            total: 8,
            chunk: 2,
            ..Assignment::new(RunId(1), 1, String::new(), Work::SelfPlay { network })
        };
        let asked = Mutex::new((Vec::new(), (0..assignment.n_chunks()).peekable()));
        let claim = |ready| {
            let (asked, chunks) = &mut *asked.lock().unwrap();
            asked.push(ready);
            match ready {
                Ready::ForUnclaimed => chunks.next_if(|chunk| *chunk < unclaimed),
                Ready::ForAnything => chunks.next(),
            }
        };
        let (mut played, never) = (Vec::new(), AtomicBool::new(false));
        let mut finished = |chunk, games: Vec<Record>| {
            assert_eq!(games.len(), 2);
            played.push(chunk);
        };
        let source = ChunkSource {
            assignment: &assignment,
            claim: &claim,
            threads: 1,
            stop: &never,
        };
        source
            .play_games(&job, &mut [Uniform], &mut finished)
            .unwrap();
        played.sort_unstable();
        (asked.into_inner().unwrap().0, played)
    }

    #[test]
    fn who_still_plays_does_not_repeat_what_others_have_begun() {
        let (asked, played) = asked_and_played(2);
        assert_eq!((asked, played), (vec![Ready::ForUnclaimed; 3], vec![0, 1]));
        let (asked, played) = asked_and_played(0);
        assert_eq!(asked[..2], [Ready::ForUnclaimed, Ready::ForAnything]);
        assert!(asked[2..].iter().all(|ready| *ready == Ready::ForAnything));
        assert_eq!(played, [0, 1, 2, 3]);
    }
}
