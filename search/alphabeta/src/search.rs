//! The search as its users see it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use rules::{Game, Position, Variant};

use crate::analysis::Analysis;
use crate::evaluation::Evaluation;
use crate::oracle::Oracle;
use crate::parameters::{Parameters, Reductions};
use crate::root::Task;
use crate::table::Table;
use crate::thread::{Memory, Shared, Thread};

/// What a search may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resources {
    /// Bytes of the transposition table; all else is a few megabytes a thread.
    pub table_bytes: usize,
    /// Threads, at least one.
    pub threads: usize,
}

/// When a search ends by itself, and what it looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Plies to look ahead, at least one.
    pub depth: u32,
    /// Positions to visit. With one thread a search ends exactly there.
    pub nodes: u64,
    /// Lines to find, at least one. More than one make each of them cost about as much as one.
    pub lines: usize,
}

impl Limits {
    /// Nothing but what the caller says ends the search for the best line.
    pub const NONE: Limits = Limits {
        depth: u32::MAX,
        nodes: u64::MAX,
        lines: 1,
    };
}

/// What the caller of a search can see and decide while it runs.
pub struct Observer<'a> {
    /// Asked every few hundred positions, with the number visited so far: whether to stop. One ply is searched
    /// in any case, so that every answer has a score.
    pub is_over: &'a (dyn Fn(u64) -> bool + Sync),
    /// Told what each finished depth found; says whether to look deeper.
    pub report: &'a mut dyn FnMut(&Analysis) -> ControlFlow<()>,
}

/// Searches positions of any variant, guided by an evaluation.
pub struct AlphaBetaSearch<E: Evaluation> {
    evaluation: E,
    oracle: Option<Arc<dyn Oracle>>,
    parameters: Parameters,
    reductions: Reductions,
    table: Table,
    /// One for each thread.
    memories: Vec<Memory<E>>,
}

impl<E: Evaluation> AlphaBetaSearch<E> {
    /// A search that knows nothing yet.
    pub fn new(evaluation: E, resources: &Resources) -> AlphaBetaSearch<E> {
        // Any position: each search begins with its own.
        let position = Position::start(Variant::ALL[0]);
        let memory = || Memory::new(&evaluation, position);
        let n_threads = resources.threads.max(1);
        AlphaBetaSearch {
            memories: std::iter::repeat_with(memory).take(n_threads).collect(),
            evaluation,
            oracle: None,
            parameters: Parameters::DEFAULT,
            reductions: Reductions::new(&Parameters::DEFAULT),
            table: Table::new(resources.table_bytes),
        }
    }

    /// The same search with other settings.
    #[must_use]
    pub fn with_parameters(mut self, parameters: Parameters) -> AlphaBetaSearch<E> {
        self.reductions = Reductions::new(&parameters);
        self.parameters = parameters;
        self
    }

    /// The same search, which takes the results that an oracle knows.
    #[must_use]
    pub fn with_oracle(mut self, oracle: Option<Arc<dyn Oracle>>) -> AlphaBetaSearch<E> {
        self.oracle = oracle;
        self
    }

    /// The evaluation that guides it.
    pub fn evaluation(&self) -> &E {
        &self.evaluation
    }

    /// Forgets all earlier searches, so that the next one depends on its arguments alone. Of the table it
    /// will use no more than so many nodes can fill: clearing a large one takes longer than a small search.
    pub fn forget(&mut self, nodes: u64) {
        self.table.clear(nodes);
        for memory in &mut self.memories {
            memory.order.clear();
        }
    }

    /// What there is to know about a game's position; `None` if there is no legal move.
    ///
    /// With one thread the result is a function of the game, the limits and what earlier searches left
    /// in the table, unless the observer ends it.
    pub fn analyse(
        &mut self,
        game: &Game,
        limits: &Limits,
        observer: &mut Observer<'_>,
    ) -> Option<Analysis> {
        if !game.position().has_moves() {
            return None;
        }
        self.table.next_generation();
        let shared = Shared {
            evaluation: &self.evaluation,
            oracle: self.oracle.as_deref(),
            parameters: &self.parameters,
            reductions: &self.reductions,
            table: &self.table,
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            node_limit: limits.nodes,
            is_over: observer.is_over,
        };
        let (first, helpers) = self.memories.split_first_mut()?;
        let mut analysis = thread::scope(|scope| {
            for (number, memory) in (1..).zip(helpers) {
                let shared = &shared;
                scope.spawn(move || help(memory, shared, game, number));
            }
            let task = Task {
                first_depth: 1,
                last_depth: limits.depth.max(1),
                n_lines: limits.lines,
            };
            let analysis = Thread::new(first, &shared, true).deepen(game, &task, observer.report);
            shared.stop.store(true, Ordering::Relaxed);
            analysis
        });
        analysis.nodes = analysis.nodes.max(shared.nodes.load(Ordering::Relaxed));
        Some(analysis)
    }
}

/// Fills the table for the first thread until that stops (Lazy SMP). Every other helper begins one ply
/// deeper, so that they do not all do the same.
fn help<E: Evaluation>(memory: &mut Memory<E>, shared: &Shared<'_, E>, game: &Game, number: u32) {
    let task = Task {
        first_depth: 1 + number % 2,
        last_depth: u32::MAX,
        n_lines: 1,
    };
    Thread::new(memory, shared, false).deepen(game, &task, &mut |_| ControlFlow::Continue(()));
}
