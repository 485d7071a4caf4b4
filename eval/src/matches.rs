//! Matches: two players, every opening played twice with colours swapped, results counted in pairs.
//!
//! Each thread has its own two players and plays many games at once, so that a network evaluates
//! large batches. A game depends on the match's seed and its number alone, and pairs are counted
//! in the order of their numbers, also by a test that stops early: threads change only the speed.
//!
//! With a clock a thread plays one game at a time, and results depend on the machine and its load. A player of whom
//! there is only one plays one game at a time too, and there is only one thread.

mod duplicates;
mod game;
mod pdn;
mod report;
mod result;
mod worker;

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use engine::{Player, PlayerError, TimeControl};
use types::Seed;

use crate::adjudication::Adjudication;
use crate::baselines::Baseline;
use crate::error::EvalError;
use crate::openings::Opening;
use duplicates::Duplicates;
use worker::{PairDone, Worker};

pub use game::MatchGame;
pub use report::{Forfeit, MatchReport};
pub use result::{MatchResult, Resignations};

/// One of the two sides of a match: makes its player once for each thread.
pub struct PlayerFactory<'a> {
    /// The name in results and game records.
    pub name: String,
    /// The side's time limit in each game. Exceeding it loses the game.
    pub time: Option<TimeControl>,
    /// Whether there is only one such player, which plays one game after the other.
    pub is_single: bool,
    create: Box<Create<'a>>,
}

/// Makes a player for one thread.
type Create<'a> = dyn Fn() -> Result<Box<dyn Player>, PlayerError> + Sync + 'a;

impl<'a> PlayerFactory<'a> {
    /// A side whose players are made by `create`.
    pub fn new(
        name: impl Into<String>,
        create: impl Fn() -> Result<Box<dyn Player>, PlayerError> + Sync + 'a,
    ) -> Self {
        Self {
            name: name.into(),
            time: None,
            is_single: false,
            create: Box::new(create),
        }
    }
}

impl From<Baseline> for PlayerFactory<'_> {
    fn from(baseline: Baseline) -> Self {
        Self::new(baseline.to_string(), move || Ok(baseline.player()))
    }
}

/// Settings of matches that do not belong to a player: seed, threads, adjudication.
#[derive(Clone, Copy, Debug)]
pub struct Arena<'a> {
    /// Seeds the players' random choices.
    pub seed: Seed,
    /// Threads, at least one. They do not influence results.
    pub threads: usize,
    /// Pairs that one thread plays at the same time, at least one: more give larger batches, and
    /// more wasted games when a test stops early. They do not influence results.
    pub pairs_at_once: usize,
    /// Number of the first pair: above 0 when a match continues.
    pub first_pair: usize,
    /// When games end early.
    pub adjudication: Adjudication,
    /// Stops matches between two moves when it becomes true.
    pub stop: &'a AtomicBool,
}

/// Plays one pair of games from each opening, in order, until `after_pair` breaks.
///
/// `after_pair` gets the result so far each time a pair is counted. When the arena's `stop` is set,
/// the pairs counted so far are returned.
pub fn play_match(
    sides: [&PlayerFactory<'_>; 2],
    openings: &[Opening],
    arena: &Arena<'_>,
    after_pair: &mut dyn FnMut(&MatchResult) -> ControlFlow<()>,
) -> Result<MatchResult, EvalError> {
    let watch = &mut |event: MatchEvent<'_>| match event {
        MatchEvent::Finished(_) => ControlFlow::Continue(()),
        MatchEvent::Counted(result) => after_pair(result),
    };
    continue_match(&Here, sides, (openings, BTreeMap::new()), arena, watch)
}

/// What happens in a match.
#[derive(Clone, Copy, Debug)]
pub enum MatchEvent<'a> {
    /// The games of a pair are over. Pairs finish in any order; known pairs give no such event.
    Finished(&'a [MatchGame; 2]),
    /// A pair was counted; the result so far.
    Counted(&'a MatchResult),
}

/// The pairs of a match that are to be played.
#[derive(Clone, Copy)]
pub struct OpenPairs<'a> {
    /// The players.
    pub sides: [&'a PlayerFactory<'a>; 2],
    /// One for each pair of the match.
    pub openings: &'a [Opening],
    /// Seed, and when to stop.
    pub arena: &'a Arena<'a>,
    /// Indices of openings whose pairs need not be played.
    pub known: &'a HashSet<usize>,
}

/// Where pairs are played.
pub trait Venue {
    /// Plays the open pairs and hands each over, in any order, with its number in the match from 0, until there
    /// are no more, `take` breaks, or the arena's `stop` is set.
    ///
    /// # Errors
    /// When a player or the venue fails.
    fn play(&self, open: &OpenPairs<'_>, take: &mut TakePair<'_>) -> Result<(), EvalError>;
}

/// What gets the games of a pair, with its number.
pub type TakePair<'a> = dyn FnMut(usize, [MatchGame; 2]) -> ControlFlow<()> + 'a;

/// The threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct Here;

impl Venue for Here {
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
            let is_single = sides.iter().any(|side| side.is_single);
            let threads = if is_single { 1 } else { arena.threads };
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

/// As [`play_match`], but the pairs in `known` ({index of its opening: games}) are not played again, and the
/// others at `venue`. The result is the same, bit for bit.
pub fn continue_match(
    venue: &dyn Venue,
    sides: [&PlayerFactory<'_>; 2],
    (openings, known): (&[Opening], BTreeMap<usize, [MatchGame; 2]>),
    arena: &Arena<'_>,
    watch: &mut dyn FnMut(MatchEvent<'_>) -> ControlFlow<()>,
) -> Result<MatchResult, EvalError> {
    let mut count = Count {
        result: MatchResult::new(sides.map(|side| side.name.clone())),
        duplicates: Duplicates::default(),
        waiting: known,
        watch,
    };
    let known = count.waiting.keys().copied().collect();
    let open = OpenPairs {
        sides,
        openings,
        arena,
        known: &known,
    };
    if count.count_waiting().is_continue() {
        venue.play(&open, &mut |pair, games| count.take(pair, games))?;
    }
    Ok(count.result)
}

/// The state that the threads of a match share.
struct MatchState<'a> {
    openings: &'a [Opening],
    arena: &'a Arena<'a>,
    /// Pairs that need not be played.
    known: &'a HashSet<usize>,
    /// Set when no more pairs are needed.
    done: AtomicBool,
    next_pair: AtomicUsize,
}

impl MatchState<'_> {
    fn is_over(&self) -> bool {
        self.arena.stop.load(Ordering::Relaxed) || self.done.load(Ordering::Relaxed)
    }

    /// The number of the next pair to play.
    fn take_pair(&self) -> Option<usize> {
        loop {
            let pair = self.next_pair.fetch_add(1, Ordering::Relaxed);
            if !self.known.contains(&pair) {
                return (pair < self.openings.len()).then_some(pair);
            }
        }
    }
}

/// One thread: sends pairs until none is left, or the error that ended it.
fn work(
    sides: [&PlayerFactory<'_>; 2],
    shared: &MatchState<'_>,
    sender: &mpsc::Sender<Result<PairDone, EvalError>>,
) {
    let run = || -> Result<(), EvalError> {
        let players = [(sides[0].create)()?, (sides[1].create)()?];
        Worker::new(sides, players, shared).run(&mut |pair| sender.send(Ok(pair)).is_ok())
    };
    if let Err(error) = run() {
        // The receiver is gone only when the match is over.
        let _ = sender.send(Err(error));
    }
}

/// Counts pairs in the order of their numbers, in whatever order they arrive.
struct Count<'a> {
    result: MatchResult,
    duplicates: Duplicates,
    /// {number of the pair: games} that cannot be counted yet.
    waiting: BTreeMap<usize, [MatchGame; 2]>,
    watch: &'a mut dyn FnMut(MatchEvent<'_>) -> ControlFlow<()>,
}

impl Count<'_> {
    fn take(&mut self, pair: usize, games: [MatchGame; 2]) -> ControlFlow<()> {
        (self.watch)(MatchEvent::Finished(&games))?;
        self.waiting.insert(pair, games);
        self.count_waiting()
    }

    /// Counts the pairs that are next in order.
    fn count_waiting(&mut self) -> ControlFlow<()> {
        let next = |result: &MatchResult| result.pairs_played() as usize;
        while let Some(mut games) = self.waiting.remove(&next(&self.result)) {
            self.duplicates.mark(&mut games);
            self.result.count(games);
            (self.watch)(MatchEvent::Counted(&self.result))?;
        }
        ControlFlow::Continue(())
    }
}
