//! The trainer's loop for one assignment: it plays chunks itself and collects the workers' chunks.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use share::{Assignment, Claims, Collector, Content, Share, Taken, Trust};

use crate::Result;
use crate::chunks::{ChunkSource, Finished};

/// Interval at which the trainer looks for games.
const LOOK: Duration = Duration::from_millis(200);

/// The name of the trainer among the workers.
const NAME: &str = "trainer";

/// The end of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// All chunks have been taken, or enough of them.
    Complete,
    /// The run was stopped.
    Stopped,
    /// Games that were taken do not count, because a machine was excluded.
    Again,
}

/// One assignment.
pub(crate) struct Table<'a, C: Content> {
    share: &'a dyn Share,
    assignment: Arc<Assignment>,
    content: C,
    collector: Mutex<Collector<'a, C>>,
    /// Threads that this machine plays on.
    threads: usize,
    /// Set when this machine should stop playing.
    halt: AtomicBool,
    /// Set while the share does not respond.
    is_deaf: AtomicBool,
}

/// Chunks for the trainer itself, and the receiver of finished ones.
pub(crate) struct Seat<'a, T> {
    pub(crate) source: ChunkSource<'a>,
    pub(crate) finished: &'a mut Finished<'a, T>,
}

impl<'a, C> Table<'a, C>
where
    C: Content<Item: Send> + Clone + Send + Sync,
{
    /// The table of an assignment. An earlier process has taken items of it if `is_resumed`.
    pub(crate) fn new(
        share: &'a dyn Share,
        trust: &'a Mutex<Trust>,
        assignment: &Arc<Assignment>,
        content: C,
        threads: usize,
        is_resumed: bool,
    ) -> Table<'a, C> {
        let collector = Collector::new(share, Arc::clone(assignment), content.clone(), trust)
            .resumed(is_resumed);
        Table {
            share,
            threads,
            assignment: Arc::clone(assignment),
            content,
            collector: Mutex::new(collector),
            halt: AtomicBool::new(false),
            is_deaf: AtomicBool::new(false),
        }
    }

    fn collector(&self) -> MutexGuard<'_, Collector<'a, C>> {
        self.collector
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `play` on other threads repeatedly, until there is nothing left to play, while this
    /// thread hands all finished chunks to `take`, in order, until that breaks. `play` returns
    /// whether there was anything to play.
    pub(crate) fn play(
        &self,
        play: &mut (dyn FnMut(Seat<'_, C::Item>) -> Result<bool> + Send),
        stop: &AtomicBool,
        take: &mut dyn FnMut(Vec<C::Item>) -> Result<ControlFlow<()>>,
    ) -> Result<End> {
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let player = scope.spawn(move || self.play_own(play, &sender));
            let end = loop {
                let wait = receiver.recv_timeout(LOOK);
                // A player thread that is gone has failed.
                let has_failed = matches!(wait, Err(RecvTimeoutError::Disconnected));
                for (chunk, items) in wait.into_iter().chain(receiver.try_iter()) {
                    self.collector().offer(chunk, items);
                }
                match self.gather(take) {
                    Ok(None) if has_failed || stop.load(Ordering::Relaxed) => {
                        break Ok(End::Stopped);
                    }
                    Ok(None) => {}
                    Ok(Some(end)) => break Ok(end),
                    Err(error) => break Err(error),
                }
            };
            self.halt.store(true, Ordering::Relaxed);
            let own = player.join();
            own.map_err(|_| selfplay::SelfplayError::WorkerPanicked)??;
            end
        })
    }

    /// Plays chunks until told to stop, starting with chunks that no other machine has finished.
    fn play_own(
        &self,
        play: &mut (dyn FnMut(Seat<'_, C::Item>) -> Result<bool> + Send),
        sender: &mpsc::Sender<(u32, Vec<C::Item>)>,
    ) -> Result<()> {
        let claims = Mutex::new(Claims::new(self.share, Arc::clone(&self.assignment), NAME));
        let claim = |ready| {
            let mut claims = claims.lock().unwrap_or_else(PoisonError::into_inner);
            let wanted = self.collector().wanted();
            if let Some(chunk) = wanted.into_iter().find(|&chunk| claims.insist(chunk)) {
                return Some(chunk);
            }
            let next = claims.next(ready, |name| self.collector().counts(name));
            next.unwrap_or_else(|_| claims.next_unheard())
        };
        while !self.halt.load(Ordering::Relaxed) {
            let mut finished = |chunk, items: Vec<C::Item>| {
                // Other machines only need to know that it is finished.
                if let Ok(bytes) = self.content.pack(&items) {
                    let _ = self.assignment.deliver(self.share, NAME, chunk, bytes);
                }
                let _ = sender.send((chunk, items));
            };
            let source = ChunkSource {
                assignment: &self.assignment,
                claim: &claim,
                threads: self.threads,
                stop: &self.halt,
            };
            let has_played = play(Seat {
                source,
                finished: &mut finished,
            })?;
            if !has_played {
                std::thread::sleep(LOOK);
            }
        }
        Ok(())
    }

    /// Takes the available chunks, up to the first missing one.
    fn gather(
        &self,
        take: &mut dyn FnMut(Vec<C::Item>) -> Result<ControlFlow<()>>,
    ) -> Result<Option<End>> {
        loop {
            if self.collector().is_complete() {
                return Ok(Some(End::Complete));
            }
            let next = self.collector().take();
            for suspicion in self.collector().suspicions() {
                tracing::warn!(?suspicion, "games were rejected");
            }
            let was_deaf = self.is_deaf.swap(next.is_err(), Ordering::Relaxed);
            match next {
                Err(_) if was_deaf => return Ok(None),
                Ok(Taken::Nothing) => return Ok(None),
                Ok(Taken::Again) => return Ok(Some(End::Again)),
                Err(error) => {
                    tracing::warn!(%error, "failed to read games of other machines");
                    return Ok(None);
                }
                Ok(Taken::Items(items)) => {
                    if take(items)?.is_break() {
                        return Ok(Some(End::Complete));
                    }
                }
            }
        }
    }
}
