//! The public interface of the search.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use rules::{Game, Move, Position, Variant};

use crate::analysis::Analysis;
use crate::evaluation::Evaluation;
use crate::oracle::Oracle;
use crate::parameters::{Parameters, Reductions};
use crate::table::Table;
use crate::thread::{Memory, Shared, Thread};

/// Memory and threads of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resources {
    /// The size of the transposition table in bytes; everything else takes a few megabytes per
    /// thread.
    pub table_bytes: usize,
    /// Threads, at least one.
    pub threads: usize,
}

/// Limits of a search, and the number of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum depth in plies, at least one.
    pub depth: u32,
    /// The maximum number of positions to visit. With one thread the search stops exactly there.
    pub nodes: u64,
    /// The number of lines, at least one. Each additional line costs about as much as the first.
    pub lines: usize,
    /// A legal move whose line is found too, at the same depth as the best lines. It costs about as
    /// much as another line.
    pub compared: Option<Move>,
}

impl Limits {
    /// No limits and one line: only the observer ends the search.
    pub const NONE: Limits = Limits {
        depth: u32::MAX,
        nodes: u64::MAX,
        lines: 1,
        compared: None,
    };
}

/// Callbacks of a running search.
pub struct Observer<'a> {
    /// Called every few hundred positions with the number visited so far; returns true to stop.
    /// Depth 1 is always completed, so that every result has a score.
    pub is_over: &'a (dyn Fn(u64) -> bool + Sync),
    /// Called after each completed depth; returns whether to continue.
    pub report: &'a mut dyn FnMut(&Analysis) -> ControlFlow<()>,
}

/// A search of positions of any variant, guided by a static evaluation.
pub struct AlphaBetaSearch<E: Evaluation> {
    evaluation: E,
    oracle: Option<Arc<dyn Oracle>>,
    /// If unset, each game has its own.
    parameters: Option<Parameters>,
    reductions: Reductions,
    table: Table,
    /// One for each thread.
    memories: Vec<Memory<E>>,
}

impl<E: Evaluation> AlphaBetaSearch<E> {
    /// Creates a search with an empty table.
    pub fn new(evaluation: E, resources: &Resources) -> AlphaBetaSearch<E> {
        // A placeholder: each search starts by setting its own position.
        let position = Position::start(Variant::ALL[0]);
        let memory = || Memory::new(&evaluation, position);
        let n_threads = resources.threads.max(1);
        AlphaBetaSearch {
            memories: std::iter::repeat_with(memory).take(n_threads).collect(),
            evaluation,
            oracle: None,
            parameters: None,
            reductions: Reductions::new(&Parameters::DEFAULT),
            table: Table::new(resources.table_bytes),
        }
    }

    /// Sets the search parameters, which are [`Parameters::of`] each game otherwise.
    #[must_use]
    pub fn with_parameters(mut self, parameters: Parameters) -> AlphaBetaSearch<E> {
        self.reductions = Reductions::new(&parameters);
        self.parameters = Some(parameters);
        self
    }

    /// Sets the oracle to probe.
    #[must_use]
    pub fn with_oracle(mut self, oracle: Option<Arc<dyn Oracle>>) -> AlphaBetaSearch<E> {
        self.oracle = oracle;
        self
    }

    /// The static evaluation.
    pub fn evaluation(&self) -> &E {
        &self.evaluation
    }

    /// Clears the results of earlier searches, so that the next one depends on its arguments alone.
    /// Limits the table to the part that `nodes` positions can fill: clearing a large table takes
    /// longer than a small search.
    pub fn forget(&mut self, nodes: u64) {
        self.table.clear(nodes);
        for memory in &mut self.memories {
            memory.order.clear();
        }
    }

    /// Analyzes a game's current position; `None` if there is no legal move.
    ///
    /// With one thread the result is a function of the game, the limits and the table contents,
    /// unless the observer stops the search.
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
        let usual = || Parameters::of(game.position().variant());
        let parameters = self.parameters.unwrap_or_else(usual);
        let shared = Shared {
            evaluation: &self.evaluation,
            oracle: self.oracle.as_deref(),
            parameters: &parameters,
            reductions: &self.reductions,
            table: &self.table,
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            node_limit: limits.nodes,
            is_over: observer.is_over,
        };
        let (first, helpers) = self.memories.split_first_mut()?;
        let mut analysis = thread::scope(|scope| {
            let spawn = |(number, memory)| {
                let shared = &shared;
                scope.spawn(move || help(memory, shared, game, number))
            };
            let helpers: Vec<_> = (1..).zip(helpers).map(spawn).collect();
            let mut first = Thread::new(first, &shared, true);
            let analysis = first.deepen(game, limits, 1, observer.report);
            shared.stop.store(true, Ordering::Relaxed);
            // A scope does not wait for the end of its threads in the system, and a host may unload
            // their code as soon as it has the analysis.
            for helper in helpers {
                helper.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            analysis
        });
        analysis.nodes = analysis.nodes.max(shared.nodes.load(Ordering::Relaxed));
        Some(analysis)
    }
}

/// Fills the table for the first thread until that stops (Lazy SMP). Every other helper starts one
/// ply deeper, so that the threads diverge.
fn help<E: Evaluation>(memory: &mut Memory<E>, shared: &Shared<'_, E>, game: &Game, number: u32) {
    let go_on = &mut |_: &Analysis| ControlFlow::Continue(());
    Thread::new(memory, shared, false).deepen(game, &Limits::NONE, 1 + number % 2, go_on);
}
