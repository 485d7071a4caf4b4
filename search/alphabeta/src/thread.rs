//! One search thread: its memory, its current line, and its stopping rule.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rules::{Color, DrawRule, Move, MoveList, Position};

use crate::evaluation::Evaluation;
use crate::oracle::Oracle;
use crate::order::MoveOrder;
use crate::parameters::{Parameters, Reductions};
use crate::path::Path;
use crate::score::{MAX_EVALUATION, MAX_PLIES, WIN};
use crate::table::{Table, from_node};

/// Positions visited between two checks of the shared state: a fraction of a millisecond.
const NODES_PER_LOOK: u64 = 512;
/// Mixes the counter of plies without progress into a key.
const COUNTER_KEY: u64 = 0xd6e8_feb8_6659_fd93;

/// The [`Thread::origin`] of scores that do not depend on the preceding positions.
pub(crate) const ANYWHERE: i32 = i32::MAX;

/// State shared by all threads of one search.
pub(crate) struct Shared<'a, E> {
    pub(crate) evaluation: &'a E,
    pub(crate) oracle: Option<&'a dyn Oracle>,
    pub(crate) parameters: &'a Parameters,
    pub(crate) reductions: &'a Reductions,
    pub(crate) table: &'a Table,
    pub(crate) stop: AtomicBool,
    /// Positions visited by all threads, as of their last checks.
    pub(crate) nodes: AtomicU64,
    pub(crate) node_limit: u64,
    /// Called by the first thread with the number of nodes; returns true to stop.
    pub(crate) is_over: &'a (dyn Fn(u64) -> bool + Sync),
}

/// A node on the current line.
pub(crate) struct Frame {
    pub(crate) position: Position,
    /// Equal for positions that the repetition rule considers equal.
    pub(crate) hash: u64,
    /// The key in the transposition table.
    pub(crate) key: u64,
    /// The previous move.
    pub(crate) last: Option<Move>,
    pub(crate) moves: MoveList,
    /// (rank, index into `moves`) of the moves to search.
    pub(crate) ranks: Vec<(i32, u32)>,
    /// Quiet moves that did not cause a cutoff.
    pub(crate) failed: Vec<Move>,
    /// The static evaluation, if no capture is pending.
    pub(crate) evaluation: Option<i32>,
    /// The principal variation from here, in nodes with an open window.
    pub(crate) line: Vec<Move>,
    /// The index of the nearest state in [`Memory::states`].
    state: usize,
    /// Extensions on the path from the root.
    pub(crate) extensions: i32,
}

impl Frame {
    fn new(position: Position) -> Frame {
        Frame {
            position,
            hash: 0,
            key: 0,
            last: None,
            moves: MoveList::new(),
            ranks: Vec::new(),
            failed: Vec::new(),
            evaluation: None,
            line: Vec::new(),
            state: 0,
            extensions: 0,
        }
    }

    /// True if the side to move must capture, so that a static evaluation is meaningless.
    #[inline]
    pub(crate) fn is_capture_mandatory(&self) -> bool {
        self.position.variant().rules().capture_is_mandatory
    }
}

/// Buffers that a thread reuses from search to search.
pub(crate) struct Memory<E: Evaluation> {
    /// [ply]
    pub(crate) frames: Vec<Frame>,
    /// [ply + 1] states of the evaluated positions on the line; the first entry is a fresh state.
    states: Vec<E::State>,
    pub(crate) order: MoveOrder,
    pub(crate) path: Path,
}

impl<E: Evaluation> Memory<E> {
    pub(crate) fn new(evaluation: &E, position: Position) -> Memory<E> {
        let frame = || Frame::new(position);
        Memory {
            frames: std::iter::repeat_with(frame).take(MAX_PLIES + 2).collect(),
            states: vec![evaluation.state(); MAX_PLIES + 3],
            order: MoveOrder::new(MAX_PLIES + 2),
            path: Path::default(),
        }
    }
}

/// A running search thread.
pub(crate) struct Thread<'a, E: Evaluation> {
    pub(crate) memory: &'a mut Memory<E>,
    pub(crate) shared: &'a Shared<'a, E>,
    /// The first thread gives the result; the others only fill the table.
    pub(crate) is_first: bool,
    /// True once a depth is complete. Until then the observer cannot stop the search: depth 1 takes
    /// a moment, and a result without a score would be useless.
    pub(crate) has_score: bool,
    pub(crate) nodes: u64,
    /// The number of nodes already added to the shared counter.
    reported: u64,
    next_look: u64,
    pub(crate) is_stopped: bool,
    /// The sum of [`Table::touch`] reads, kept so that the compiler does not remove them.
    touched: u64,
    /// The length of the longest line.
    pub(crate) deepest: usize,
    /// The earliest ply on the line that the last returned score depends on, because a repetition
    /// or an expired counter began there; -1 if it lies before the root, [`ANYWHERE`] if there is
    /// none. Only above that ply does the score belong to the position alone.
    pub(crate) origin: i32,
}

impl<'a, E: Evaluation> Thread<'a, E> {
    pub(crate) fn new(
        memory: &'a mut Memory<E>,
        shared: &'a Shared<'a, E>,
        is_first: bool,
    ) -> Thread<'a, E> {
        Thread {
            memory,
            shared,
            is_first,
            has_score: false,
            nodes: 0,
            reported: 0,
            next_look: 0,
            is_stopped: false,
            touched: 0,
            deepest: 0,
            origin: ANYWHERE,
        }
    }

    /// Sets the root position.
    pub(crate) fn set_root(&mut self, position: Position) {
        let frame = &mut self.memory.frames[0];
        frame.position = position;
        frame.hash = position.hash();
        frame.key = key(&position, frame.hash);
        frame.last = None;
        frame.state = 0;
        frame.extensions = 0;
        position.generate(&mut frame.moves);
    }

    /// Plays a move in the node at `ply`.
    #[inline]
    pub(crate) fn descend(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.memory.frames.split_at_mut(ply + 1);
        let (frame, child) = (&above[ply], &mut below[0]);
        child.position = frame.position.play(mv);
        child.last = Some(mv);
        child.extensions = frame.extensions;
        self.memory.path.hashes.push(frame.hash);
    }

    /// Takes the move at `ply` back.
    #[inline]
    pub(crate) fn ascend(&mut self) {
        self.memory.path.hashes.pop();
    }

    /// Enters a node: counts it and lists its moves, all of them or the captures only. Returns a
    /// score if the game or the search ends here.
    pub(crate) fn enter(&mut self, ply: usize, captures_only: bool) -> Option<i32> {
        self.origin = ANYWHERE;
        if self.nodes >= self.next_look {
            self.look();
        }
        if self.is_stopped {
            return Some(0);
        }
        self.nodes += 1;
        self.deepest = self.deepest.max(ply);
        let near = self.memory.frames[ply - 1].state;
        let frame = &mut self.memory.frames[ply];
        frame.state = near;
        frame.line.clear();
        frame.evaluation = None;
        frame.hash = frame.position.hash();
        frame.key = key(&frame.position, frame.hash);
        self.touched ^= self.shared.table.touch(frame.key);
        // Most leaves have no capture; listing their other moves would be in vain.
        let has_moves = match captures_only {
            true => {
                frame.position.generate_captures(&mut frame.moves);
                !frame.moves.is_empty() || frame.position.has_moves()
            }
            false => {
                frame.position.generate(&mut frame.moves);
                !frame.moves.is_empty()
            }
        };
        if !has_moves {
            let win = WIN - ply as i32;
            let has_won = frame.position.winner() == frame.position.turn();
            return Some(if has_won { win } else { -win });
        }
        if self.is_drawn(ply) {
            return Some(0);
        }
        self.ask_oracle(ply)
    }

    /// True if a draw rule ends the game here; records where its count began.
    fn is_drawn(&mut self, ply: usize) -> bool {
        let frame = &self.memory.frames[ply];
        let no_progress = frame.position.no_progress();
        let times = frame.position.variant().rules().draws.repetition;
        if let Some(origin) = self.memory.path.repetition(frame.hash, no_progress, times) {
            self.origin = origin;
            return true;
        }
        if frame.position.outcome_with(true, 0).is_none() {
            return false;
        }
        // A draw by material alone does not depend on a counter.
        if no_progress > 0 {
            self.origin = (ply as i32 - no_progress as i32).max(-1);
        }
        true
    }

    /// The exact result from the oracle, as a score.
    fn ask_oracle(&self, ply: usize) -> Option<i32> {
        let position = &self.memory.frames[ply].position;
        let score = self.shared.oracle?.probe(position)?;
        Some(from_node(score, ply))
    }

    /// The static evaluation of the node at `ply`.
    pub(crate) fn evaluate(&mut self, ply: usize) -> i32 {
        let frame = &mut self.memory.frames[ply];
        let (before, own) = self.memory.states.split_at_mut(ply + 1);
        let near = &before[frame.state.min(ply)];
        let score = self
            .shared
            .evaluation
            .evaluate(&frame.position, near, &mut own[0]);
        frame.state = ply + 1;
        score.clamp(-MAX_EVALUATION, MAX_EVALUATION)
    }

    /// Adds to the shared node count and checks whether to stop.
    fn look(&mut self) {
        let Shared {
            nodes,
            stop,
            node_limit,
            is_over,
            ..
        } = self.shared;
        let new = self.nodes - self.reported;
        self.reported += new;
        let total = nodes.fetch_add(new, Ordering::Relaxed) + new;
        if total >= *node_limit || self.is_first && is_over(total) && self.has_score {
            stop.store(true, Ordering::Relaxed);
        }
        self.is_stopped |= stop.load(Ordering::Relaxed);
        self.next_look = self.nodes + NODES_PER_LOOK.min(node_limit.saturating_sub(total));
    }
}

/// The key of a position in the transposition table.
///
/// Positions that differ only in the counter of plies without progress share an entry while the
/// counter is below half its limit, except in endings with a shorter one.
#[inline]
fn key(position: &Position, hash: u64) -> u64 {
    let counter = position.no_progress();
    if counter == 0 {
        return hash;
    }
    let draws = &position.variant().rules().draws;
    let is_short = |rule: &DrawRule| match rule {
        DrawRule::Ending { ending, plies, .. } if (1..draws.no_progress).contains(plies) => {
            let [black, white] = Color::ALL.map(|color| position.army(color));
            ending.covers(black, white)
        }
        _ => false,
    };
    let matters = 2 * counter >= draws.no_progress || draws.rules.iter().any(is_short);
    match matters {
        true => hash ^ u64::from(counter).wrapping_mul(COUNTER_KEY),
        false => hash,
    }
}
