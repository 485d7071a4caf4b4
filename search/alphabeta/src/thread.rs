//! One thread of a search: its memory, the line that it looks at, and when it stops.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rules::{Color, DrawRule, Move, MoveList, Position};

use crate::evaluation::Evaluation;
use crate::oracle::{Known, Oracle};
use crate::order::MoveOrder;
use crate::parameters::{Parameters, Reductions};
use crate::path::Path;
use crate::score::{MAX_EVALUATION, MAX_PLIES, WIN};
use crate::table::Table;

/// Positions visited between two looks at what the others do: a fraction of a millisecond.
const NODES_PER_LOOK: u64 = 512;
/// Mixes the counter of plies without progress into a key.
const COUNTER_KEY: u64 = 0xd6e8_feb8_6659_fd93;

/// The value of [`Thread::origin`] of scores that hold whatever came before.
pub(crate) const ANYWHERE: i32 = i32::MAX;

/// What all threads of one search share.
pub(crate) struct Shared<'a, E> {
    pub(crate) evaluation: &'a E,
    pub(crate) oracle: Option<&'a dyn Oracle>,
    pub(crate) parameters: &'a Parameters,
    pub(crate) reductions: &'a Reductions,
    pub(crate) table: &'a Table,
    pub(crate) stop: AtomicBool,
    /// Positions visited by all threads, up to their last looks.
    pub(crate) nodes: AtomicU64,
    pub(crate) node_limit: u64,
    /// Asked by the first thread: whether to stop after so many nodes.
    pub(crate) is_over: &'a (dyn Fn(u64) -> bool + Sync),
}

/// A node of the line that is looked at.
pub(crate) struct Frame {
    pub(crate) position: Position,
    /// Equal for positions that repetition takes for equal.
    pub(crate) hash: u64,
    /// What the table knows the position by.
    pub(crate) key: u64,
    /// The move that led here.
    pub(crate) last: Option<Move>,
    pub(crate) moves: MoveList,
    /// (rank, index into `moves`) of the moves to search.
    pub(crate) ranks: Vec<(i32, u32)>,
    /// Quiet moves that did not cut off.
    pub(crate) failed: Vec<Move>,
    /// The static evaluation, where nothing must be captured.
    pub(crate) evaluation: Option<i32>,
    /// The best line from here, where the window is open.
    pub(crate) line: Vec<Move>,
    /// Which state is nearest; see [`Memory::states`].
    state: usize,
    /// Extensions on the way here.
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

    /// Whether one of the moves takes something.
    #[inline]
    pub(crate) fn can_capture(&self) -> bool {
        self.moves.iter().any(|mv| mv.is_capture())
    }

    /// Whether all of them do where one does: then the evaluation says nothing.
    #[inline]
    pub(crate) fn is_capture_mandatory(&self) -> bool {
        self.position.variant().rules().capture_is_mandatory
    }
}

/// What a thread keeps from search to search, so that nothing is allocated in between.
pub(crate) struct Memory<E: Evaluation> {
    /// [ply]
    pub(crate) frames: Vec<Frame>,
    /// [ply + 1] the states of the evaluated positions on the line, after one to begin with.
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

/// A thread at work.
pub(crate) struct Thread<'a, E: Evaluation> {
    pub(crate) memory: &'a mut Memory<E>,
    pub(crate) shared: &'a Shared<'a, E>,
    /// The first one answers; the others fill the table.
    pub(crate) is_first: bool,
    /// Whether a depth is finished. Before, the caller ends nothing: one ply takes a moment, and an answer
    /// without a score says nothing about its position.
    pub(crate) has_score: bool,
    pub(crate) nodes: u64,
    /// How many of them the others know of.
    reported: u64,
    next_look: u64,
    pub(crate) is_stopped: bool,
    /// What [`Table::touch`] has read, so that it is not left out.
    touched: u64,
    /// The longest line.
    pub(crate) deepest: usize,
    /// The ply of the earliest position on the line that the score last returned depends on: because a
    /// position was repeated, or a counter ran out, that began there. -1 if that lies before the root,
    /// [`ANYWHERE`] if there is no such position. Only above that ply is the score one of the position
    /// alone.
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

    /// Makes a position the root.
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
        self.memory.path.push(frame.hash);
    }

    /// Takes it back.
    #[inline]
    pub(crate) fn ascend(&mut self) {
        self.memory.path.pop();
    }

    /// Begins a node: counts it, generates its moves, and gives the score if the game or the search is
    /// over here.
    pub(crate) fn enter(&mut self, ply: usize) -> Option<i32> {
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
        frame.position.generate(&mut frame.moves);
        let (turn, rules) = (frame.position.turn(), frame.position.variant().rules());
        if frame.moves.is_empty() {
            let win = WIN - ply as i32;
            return Some(if rules.goal.winner(turn) == turn {
                win
            } else {
                -win
            });
        }
        if self.is_drawn(ply) {
            return Some(0);
        }
        self.ask_oracle(ply)
    }

    /// Whether a draw rule ends the game here; notes where what it counts began.
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
        // A draw by material alone has no counter behind it.
        if no_progress > 0 {
            self.origin = (ply as i32 - no_progress as i32).max(-1);
        }
        true
    }

    /// What is known about the position for certain.
    fn ask_oracle(&self, ply: usize) -> Option<i32> {
        let known = self
            .shared
            .oracle?
            .probe(&self.memory.frames[ply].position)?;
        let win_after = |plies: u16| WIN - ply as i32 - i32::from(plies).min(MAX_PLIES as i32);
        Some(match known {
            Known::Win(plies) => win_after(plies),
            Known::Draw => 0,
            Known::Loss(plies) => -win_after(plies),
        })
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

    /// Tells the others how far this thread is, and asks whether to go on.
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

/// What the table knows a position by.
///
/// Scores of positions that differ in the counter of plies without progress alone are shared as long as
/// no counter is near its end: below half the limit, and never in endings with a limit of their own.
#[inline]
fn key(position: &Position, hash: u64) -> u64 {
    let counter = position.no_progress();
    if counter == 0 {
        return hash;
    }
    let draws = &position.variant().rules().draws;
    let is_short = |rule: &DrawRule| match rule {
        DrawRule::Ending { ending, plies, .. } if *plies > 0 => {
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
