//! Matches: two players, every opening played twice with colors swapped, results counted in pairs.
//!
//! Each thread has its own two players and plays many games at once, so that a network evaluates
//! large batches. A game only depends on the match's seed and its number, and pairs are counted in
//! the order of their numbers, even if a test stops early: threads only change the speed.
//!
//! With a clock a thread plays one game at a time, and results depend on the machine and its load.
//! A player that exists only once also plays one game at a time, on a single thread.

mod arena;
mod clock;
mod game;
mod pdn;
mod player_factory;
mod report;
mod result;
mod runner;
mod worker;

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use crate::error::EvalError;
use crate::openings::Opening;
use rules::Move;

pub use arena::{Arena, OpenPairs};
pub use clock::{ClockKind, ClockTerms, Computes};
pub use game::MatchGame;
pub use player_factory::PlayerFactory;
pub(crate) use report::MOST_FORFEITS;
pub use report::{Forfeit, Forfeits, MatchReport};
pub use result::{MatchResult, Resignations};
pub use runner::{LocalRunner, MatchRunner, TakePair};

/// Plays one pair of games from each opening, in order, until `after_pair` breaks.
///
/// `after_pair` receives the result so far each time a pair is counted. If the arena's `stop` is
/// set, the pairs counted so far are returned.
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
    continue_match(&LocalRunner, sides, MatchPairs::all(openings), arena, watch)
}

/// An event of a match.
#[derive(Clone, Copy, Debug)]
pub enum MatchEvent<'a> {
    /// The games of a pair are over. Pairs finish in any order; known pairs cause no such event.
    Finished(&'a [MatchGame; 2]),
    /// A pair was counted; the result so far.
    Counted(&'a MatchResult),
}

/// The pairs of a match.
pub(crate) struct MatchPairs<'a> {
    /// The opening of each pair.
    pub(crate) openings: &'a [Opening],
    /// {index of its opening: games} of the pairs that were played before.
    pub(crate) known: BTreeMap<usize, [MatchGame; 2]>,
}

impl<'a> MatchPairs<'a> {
    /// One pair from each opening, none of them played yet.
    pub(crate) fn all(openings: &'a [Opening]) -> Self {
        Self {
            openings,
            known: BTreeMap::new(),
        }
    }
}

/// As [`play_match`], but known pairs are not played again, and `runner` plays the others. The
/// result is the same, bit for bit.
pub(crate) fn continue_match(
    runner: &dyn MatchRunner,
    sides: [&PlayerFactory<'_>; 2],
    pairs: MatchPairs<'_>,
    arena: &Arena<'_>,
    watch: &mut dyn FnMut(MatchEvent<'_>) -> ControlFlow<()>,
) -> Result<MatchResult, EvalError> {
    let mut count = Count {
        result: MatchResult {
            names: sides.map(|side| side.name.clone()),
            ..MatchResult::default()
        },
        seen: HashSet::new(),
        waiting: pairs.known,
        watch,
    };
    let known = count.waiting.keys().copied().collect();
    let open = OpenPairs {
        sides,
        openings: pairs.openings,
        arena,
        known: &known,
    };
    if count.count_waiting().is_continue() {
        runner.play(&open, &mut |pair, games| count.take(pair, games))?;
    }
    Ok(count.result)
}

/// Counts pairs in the order of their numbers, in whatever order they arrive.
struct Count<'a> {
    result: MatchResult,
    /// The games so far: who moved first, the start position, all moves.
    seen: HashSet<(bool, u64, Vec<Move>)>,
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
            for game in &mut games {
                let start = game.opening.start.hash();
                let key = (game.swapped, start, game.all_moves().collect());
                // Repeated games are no evidence.
                game.duplicate = !self.seen.insert(key);
            }
            self.result.count(games);
            (self.watch)(MatchEvent::Counted(&self.result))?;
        }
        ControlFlow::Continue(())
    }
}
