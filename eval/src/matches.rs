//! Matches: two players, every opening twice with colours swapped, results counted in pairs.
//!
//! Each thread has its own two players and plays many games at once, so that a network evaluates
//! large batches. A game depends on the match's seed and its number alone, and pairs are counted
//! in the order of their numbers, also by a test that stops early: threads change only the speed.
//!
//! With a clock it is different: a thread then plays one game at a time and asks for one move at a
//! time, and how far a player gets depends on the machine and what else it does.

mod duplicates;
mod game;
mod pdn;
mod result;
mod worker;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use engine::{Player, PlayerError, TimeControl};

use crate::baselines::Baseline;
use crate::error::EvalError;
use crate::openings::Opening;
use duplicates::Duplicates;
use worker::{PairDone, Worker};

pub use game::MatchGame;
pub use result::{Counts, MatchResult};

/// One of the two sides of a match: a name, and how to make the player, once for each thread.
pub struct Entrant<'a> {
    /// The name in results and game records.
    pub name: String,
    /// The side's time limit in each game. Whoever oversteps it loses the game.
    pub time: Option<TimeControl>,
    create: Box<Create<'a>>,
}

/// Makes a player for one thread.
type Create<'a> = dyn Fn() -> Result<Box<dyn Player>, PlayerError> + Sync + 'a;

impl<'a> Entrant<'a> {
    /// A side whose players `create` makes.
    pub fn new(
        name: impl Into<String>,
        create: impl Fn() -> Result<Box<dyn Player>, PlayerError> + Sync + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            time: None,
            create: Box::new(create),
        }
    }
}

impl From<Baseline> for Entrant<'_> {
    fn from(baseline: Baseline) -> Self {
        Self::new(baseline.to_string(), move || Ok(baseline.player()))
    }
}

/// Where matches are played: the machine's share and the source of chance.
#[derive(Clone, Copy, Debug)]
pub struct Arena<'a> {
    /// Seeds everything that the players leave to chance.
    pub seed: u64,
    /// Threads that play, at least one. No influence on results.
    pub threads: usize,
    /// Pairs that one thread plays at the same time, at least one: more make larger batches, and
    /// more games in vain when a test stops early. No influence on results.
    pub pairs_at_once: usize,
    /// Number of the first pair: above 0 where a match goes on that was played in part.
    pub first_pair: usize,
    /// Breaks matches off between two moves when it becomes true.
    pub stop: &'a AtomicBool,
}

/// Plays one pair of games from each opening, in order, until `after_pair` breaks off.
///
/// `after_pair` sees the result so far each time a pair is counted. When the arena's `stop` breaks
/// off, the pairs counted until then stay.
pub fn play_match(
    sides: [&Entrant<'_>; 2],
    openings: &[Opening],
    arena: &Arena<'_>,
    after_pair: &mut dyn FnMut(&MatchResult) -> ControlFlow<()>,
) -> Result<MatchResult, EvalError> {
    let mut result = MatchResult::new(sides.map(|side| side.name.clone()));
    let shared = Shared {
        openings,
        arena,
        done: AtomicBool::new(false),
        next_pair: AtomicUsize::new(0),
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..arena.threads.clamp(1, openings.len().max(1)) {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move || work(sides, shared, &sender));
        }
        drop(sender);
        let counted = count_in_order(&receiver, &mut result, after_pair);
        shared.done.store(true, Ordering::Relaxed);
        counted
    })?;
    Ok(result)
}

/// What the threads of a match have in common.
struct Shared<'a> {
    openings: &'a [Opening],
    arena: &'a Arena<'a>,
    /// Set when enough pairs are counted.
    done: AtomicBool,
    next_pair: AtomicUsize,
}

impl Shared<'_> {
    fn is_over(&self) -> bool {
        self.arena.stop.load(Ordering::Relaxed) || self.done.load(Ordering::Relaxed)
    }

    /// The number of a pair that nobody plays yet.
    fn take_pair(&self) -> Option<usize> {
        let pair = self.next_pair.fetch_add(1, Ordering::Relaxed);
        (pair < self.openings.len()).then_some(pair)
    }
}

/// One thread: sends pairs until none is left, or the error that ended it.
fn work(
    sides: [&Entrant<'_>; 2],
    shared: &Shared<'_>,
    sender: &mpsc::Sender<Result<PairDone, EvalError>>,
) {
    let run = || -> Result<(), EvalError> {
        let players = [(sides[0].create)()?, (sides[1].create)()?];
        Worker::new(sides, players, shared).run(&mut |pair| sender.send(Ok(pair)).is_ok())
    };
    if let Err(error) = run() {
        // Nobody listens any more only when the match is over anyway.
        let _ = sender.send(Err(error));
    }
}

/// Counts pairs in the order of their numbers, whatever order they arrive in.
fn count_in_order(
    receiver: &mpsc::Receiver<Result<PairDone, EvalError>>,
    result: &mut MatchResult,
    after_pair: &mut dyn FnMut(&MatchResult) -> ControlFlow<()>,
) -> Result<(), EvalError> {
    let mut waiting = BTreeMap::new();
    let mut duplicates = Duplicates::default();
    for done in receiver {
        let PairDone { pair, games } = done?;
        waiting.insert(pair, games);
        while let Some(mut games) = waiting.remove(&(result.pairs_played() as usize)) {
            duplicates.mark(&mut games);
            result.count(games);
            if after_pair(result).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}
