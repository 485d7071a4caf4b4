//! The search itself: negamax with alpha-beta, principal variation windows, iterative deepening.

use engine::Stopper;
use rules::{Game, Move, MoveList, Outcome, Position};

use super::analysis::{FixedDepthAnalysis, WIN, is_decided};
use super::judge::Judge;
use super::order::{MoveOrder, next_best};

const INFINITY: i32 = i32::MAX;
/// Positions visited between two checks of the clock: about a millisecond.
const NODES_PER_LOOK: u64 = 1_024;

/// Search memory, reused from position to position.
pub(super) struct Searcher {
    pub(super) judge: Judge,
    order: MoveOrder,
    /// Hashes of the positions of the game, then of the line above the current node.
    hashes: Vec<u64>,
    /// [ply] the moves of the node on the current line
    nodes_on_line: Vec<Node>,
    nodes: u64,
    /// A way to stop the search; not used in matches.
    stopper: Option<Stopper>,
    is_stopped: bool,
}

#[derive(Default)]
struct Node {
    moves: MoveList,
    /// (rank, index into `moves`) of the moves to search
    ranks: Vec<(i32, usize)>,
}

/// Bounds between which a score matters.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    /// The same bounds from the opponent's view.
    fn flipped(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }
}

/// A root move with its score.
struct RootMove {
    index: usize,
    mv: Move,
    score: i32,
}

impl Searcher {
    pub(super) fn new() -> Self {
        Self {
            judge: Judge::Material,
            order: MoveOrder::new(),
            hashes: Vec::new(),
            nodes_on_line: Vec::new(),
            nodes: 0,
            stopper: None,
            is_stopped: false,
        }
    }

    /// All best moves at `depth` (at least 1) and their score; `None` without legal moves. If
    /// `stopper` stops the search, the result of the last complete depth, or the first legal move
    /// before that. `report` receives each depth.
    pub(super) fn analyse(
        &mut self,
        game: &Game,
        depth: u32,
        stopper: Option<Stopper>,
        report: &mut dyn FnMut(u32, &FixedDepthAnalysis),
    ) -> Option<FixedDepthAnalysis> {
        let position = *game.position();
        let legal = position.legal_moves();
        let first = *legal.first()?;
        self.stopper = stopper;
        // Beyond the depth every ply captures a piece, except the last one: no line is longer.
        let n_plies = depth as usize + position.occupied().count() as usize;
        self.nodes_on_line
            .resize_with(n_plies.max(self.nodes_on_line.len()), Node::default);
        self.order.restart(self.nodes_on_line.len());
        self.hashes.clear();
        self.hashes.extend_from_slice(game.earlier_hashes());
        self.hashes.push(position.hash());
        self.nodes = 0;
        self.is_stopped = false;
        let root = |(index, &mv)| RootMove {
            index,
            mv,
            score: 0,
        };
        let mut roots: Vec<RootMove> = legal.iter().enumerate().map(root).collect();
        let mut analysis = None;
        for depth in 1..=depth as i32 {
            let score = self.search_root(&position, depth, &mut roots)?;
            if self.is_stopped {
                break;
            }
            roots.sort_by_key(|root| (-root.score, root.index));
            let found = self.best_of(&roots, score);
            report(depth as u32, &found);
            analysis = Some(found);
            // A win or loss within the full-width part cannot change.
            if is_decided(score) && WIN - score.abs() <= depth {
                break;
            }
        }
        Some(analysis.unwrap_or_else(|| FixedDepthAnalysis {
            score: 0,
            best: vec![first],
            nodes: self.nodes,
        }))
    }

    /// The moves of this score, in the order of the legal moves.
    fn best_of(&self, roots: &[RootMove], score: i32) -> FixedDepthAnalysis {
        let mut best: Vec<&RootMove> = roots.iter().filter(|root| root.score == score).collect();
        best.sort_by_key(|root| root.index);
        FixedDepthAnalysis {
            score,
            best: best.iter().map(|root| root.mv).collect(),
            nodes: self.nodes,
        }
    }

    /// True if the search has to stop: then its values are invalid.
    fn must_stop(&mut self) -> bool {
        if self.nodes.is_multiple_of(NODES_PER_LOOK) {
            let stopper = self.stopper.as_ref();
            self.is_stopped |= stopper.is_some_and(|stopper| stopper.is_over(self.nodes));
        }
        self.is_stopped
    }

    /// Scores the root moves: exactly where a move equals the best, with an upper bound elsewhere.
    fn search_root(
        &mut self,
        position: &Position,
        depth: i32,
        roots: &mut [RootMove],
    ) -> Option<i32> {
        let mut best: Option<i32> = None;
        for root in roots {
            let child = position.play(root.mv);
            let mut within =
                |alpha, beta| -self.search(&child, depth - 1, 1, Window { alpha, beta }.flipped());
            root.score = match best {
                None => within(-INFINITY, INFINITY),
                Some(best) => match within(best - 1, best) {
                    score if score < best => score,
                    _ => within(best - 1, INFINITY),
                },
            };
            best = best.max(Some(root.score));
        }
        best
    }

    /// Value of a position for its mover: exact inside the window, else a bound on its side of it.
    fn search(&mut self, position: &Position, depth: i32, ply: usize, window: Window) -> i32 {
        self.nodes += 1;
        if self.must_stop() {
            return 0;
        }
        let repetitions = self.repetitions(position);
        let node = &mut self.nodes_on_line[ply];
        position.generate(&mut node.moves);
        match position.outcome_with(!node.moves.is_empty(), repetitions) {
            Some(Outcome::Win(winner, _)) if winner == position.turn() => return WIN - ply as i32,
            Some(Outcome::Win(..)) => return ply as i32 - WIN,
            Some(Outcome::Draw(_)) => return 0,
            None => {}
        }
        let quiescence = depth <= 0;
        let Window { mut alpha, beta } = window;
        let mut best = -INFINITY;
        if quiescence {
            let can_capture = node.moves.iter().any(|mv| mv.is_capture());
            if !can_capture || !position.variant().rules().capture_is_mandatory {
                best = self.judge.score(position);
                if !can_capture || best >= beta {
                    return best;
                }
                alpha = alpha.max(best);
            }
        }
        self.order
            .rank(position, ply, &node.moves, quiescence, &mut node.ranks);
        let mut best_move = None;
        self.hashes.push(position.hash());
        for tried in 0..self.nodes_on_line[ply].ranks.len() {
            let node = &mut self.nodes_on_line[ply];
            let mv = node.moves[next_best(&mut node.ranks, tried)];
            let child = position.play(mv);
            let score = self.search_child(&child, depth, ply, Window { alpha, beta }, tried == 0);
            best = best.max(score);
            if score > alpha {
                best_move = Some(mv);
                alpha = score;
            }
            if alpha >= beta {
                break;
            }
        }
        self.hashes.pop();
        if let Some(mv) = best_move {
            self.order
                .learn(position, ply, depth.max(0), mv, best >= beta);
        }
        best
    }

    /// Earlier occurrences of `position`, the current node. Only positions since the last
    /// irreversible move can equal it, and only those with the same side to move.
    fn repetitions(&self, position: &Position) -> u32 {
        let reach = (position.no_progress() as usize).min(self.hashes.len());
        let recent = &self.hashes[self.hashes.len() - reach..];
        let same_side = recent.iter().rev().skip(1).step_by(2);
        same_side.filter(|&&hash| hash == position.hash()).count() as u32
    }

    /// Later moves are expected to be worse: a window of width one proves that cheaply.
    fn search_child(
        &mut self,
        child: &Position,
        depth: i32,
        ply: usize,
        window: Window,
        is_first: bool,
    ) -> i32 {
        let Window { alpha, beta } = window;
        if !is_first {
            let narrow = Window {
                alpha,
                beta: alpha + 1,
            };
            let score = -self.search(child, depth - 1, ply + 1, narrow.flipped());
            if score <= alpha || score >= beta {
                return score;
            }
        }
        -self.search(child, depth - 1, ply + 1, window.flipped())
    }
}
