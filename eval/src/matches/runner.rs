//! Runners of the pairs of a match.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use super::arena::Arena;
use super::game::MatchGame;
use super::player_factory::PlayerFactory;
use super::worker::{MatchState, PairDone, work};
use crate::error::EvalError;
use crate::openings::Opening;

/// The pairs of a match that remain to be played.
#[derive(Clone, Copy)]
pub struct OpenPairs<'a> {
    /// The players.
    pub sides: [&'a PlayerFactory<'a>; 2],
    /// The opening of each pair of the match.
    pub openings: &'a [Opening],
    /// Seed, and when to stop.
    pub arena: &'a Arena<'a>,
    /// Indices of openings whose pairs need not be played.
    pub known: &'a HashSet<usize>,
}

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
        let OpenPairs {
            sides,
            openings,
            arena,
            known,
        } = *open;
        let shared = MatchState {
            openings,
            arena,
            known,
            done: AtomicBool::new(false),
            next_pair: AtomicUsize::new(0),
        };
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            let is_alone = sides.iter().any(|side| side.plays_alone());
            let threads = if is_alone { 1 } else { arena.threads };
            for _ in 0..threads.clamp(1, openings.len().max(1)) {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || work(sides, shared, &sender));
            }
            drop(sender);
            let mut played = receiver.iter();
            let taken = played.try_for_each(|done| {
                let PairDone { pair, games } = done.map_err(Err)?;
                match take(pair, games) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(Ok(())),
                }
            });
            shared.done.store(true, Ordering::Relaxed);
            taken.or_else(|ended| ended)
        })
    }
}
