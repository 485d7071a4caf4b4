//! Runners of the pairs of a match.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use super::arena::OpenPairs;
use super::game::MatchGame;
use super::worker::{MatchState, work};
use crate::error::EvalError;

/// Plays pairs of games.
pub trait MatchRunner {
    /// Plays the open pairs and passes each of them, in any order, to `take` with its number in the
    /// match, from 0. Ends when there are no more, `take` breaks, or the arena's `stop` is set.
    ///
    /// # Errors
    /// If a player or the runner fails.
    fn play(&self, open: &OpenPairs<'_>, take: &mut TakePair<'_>) -> Result<(), EvalError>;
}

/// The receiver of the games of a pair, with its number.
pub type TakePair<'a> = dyn FnMut(usize, [MatchGame; 2]) -> ControlFlow<()> + 'a;

/// The threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct LocalRunner;

impl MatchRunner for LocalRunner {
    fn play(&self, open: &OpenPairs<'_>, take: &mut TakePair<'_>) -> Result<(), EvalError> {
        let shared = MatchState {
            open: *open,
            done: AtomicBool::new(false),
            next_pair: AtomicUsize::new(0),
        };
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            let is_alone = open.sides.iter().any(|side| side.plays_alone());
            let threads = if is_alone { 1 } else { open.arena.threads };
            for _ in 0..threads.clamp(1, open.openings.len().max(1)) {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || work(shared, &sender));
            }
            drop(sender);
            let mut played = receiver.iter();
            let taken = played.try_for_each(|games| {
                let games = games.map_err(Err)?;
                match take(games[0].pair - open.arena.first_pair, games) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(Ok(())),
                }
            });
            shared.done.store(true, Ordering::Relaxed);
            taken.or_else(|ended| ended)
        })
    }
}
