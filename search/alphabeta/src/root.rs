//! The root search: iterative deepening and multiple lines.

use std::ops::ControlFlow;

use rules::{Game, Move};

use crate::analysis::{Analysis, ScoredLine};
use crate::evaluation::Evaluation;
use crate::score::{INFINITY, MAX_PLIES, WIN, Window, is_decided};
use crate::thread::Thread;

/// A root move and its current score.
pub(crate) struct RootMove {
    mv: Move,
    /// Exact at the last depth at which the move was among the best lines.
    score: i32,
    /// The principal variation that starts with this move.
    line: Vec<Move>,
}

/// The depth and the number of lines to search.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    pub(crate) first_depth: u32,
    pub(crate) last_depth: u32,
    pub(crate) n_lines: usize,
    pub(crate) compared: Option<Move>,
}

impl Task {
    /// The number of moves of the root whose lines are found at each depth. The compared move comes
    /// after the best lines if it is none of them.
    fn n_found(&self, n_lines: usize, moves: &mut [RootMove]) -> usize {
        let place = |mv| moves.iter().position(|known| known.mv == mv);
        match self.compared.and_then(place) {
            Some(place) if place >= n_lines => {
                moves[n_lines..=place].rotate_right(1);
                n_lines + 1
            }
            _ => n_lines,
        }
    }
}

impl<E: Evaluation> Thread<'_, E> {
    /// Deepens until stopped. Calls `report` after each depth; it may end the search. Returns the
    /// moves, best first.
    pub(crate) fn deepen(
        &mut self,
        game: &Game,
        task: &Task,
        report: &mut dyn FnMut(&Analysis) -> ControlFlow<()>,
    ) -> Analysis {
        self.memory.path.restart(game);
        self.memory.order.forget_killers();
        self.set_root(*game.position());
        let mut moves = self.root_moves();
        let n_lines = task.n_lines.clamp(1, moves.len().max(1));
        let mut n_found = task.n_found(n_lines, &mut moves);
        let mut analysis = self.analysis(&moves, n_found, 0);
        for depth in task.first_depth..=task.last_depth.min(MAX_PLIES as u32 - 1) {
            self.deepest = 0;
            for line in 0..n_lines {
                self.search_line(depth as i32, line, &mut moves);
            }
            if !self.is_stopped {
                n_found = task.n_found(n_lines, &mut moves);
                for line in n_lines..n_found {
                    self.search_line(depth as i32, line, &mut moves[..n_found]);
                }
            }
            if self.is_stopped {
                // With one line, the best move of an incomplete depth replaces the one of the last
                // complete depth. Several lines are comparable only at equal depth.
                let is_alone = n_lines == 1 && task.compared.is_none();
                if is_alone || analysis.depth == 0 {
                    moves[..n_found].sort_by_key(|known| -known.score);
                    analysis.lines = self.analysis(&moves, n_found, depth).lines;
                }
                break;
            }
            moves[..n_found].sort_by_key(|known| -known.score);
            analysis = self.analysis(&moves, n_found, depth);
            self.has_score = true;
            let is_proven = |line: &ScoredLine| WIN - line.score.abs() <= depth as i32;
            let is_proven = analysis.lines.iter().all(is_proven);
            if report(&analysis).is_break() || is_proven {
                break;
            }
        }
        analysis.nodes = self.nodes;
        analysis
    }

    /// The legal moves in their initial order.
    fn root_moves(&mut self) -> Vec<RootMove> {
        let entry = self.shared.table.probe(self.memory.frames[0].key);
        self.rank_moves(0, entry);
        let n_moves = self.memory.frames[0].moves.len();
        let ranked = (0..n_moves).map(|tried| {
            let mv = self.next_move(0, tried);
            RootMove {
                mv,
                score: -INFINITY,
                line: vec![mv],
            }
        });
        ranked.collect()
    }

    fn analysis(&self, moves: &[RootMove], n_lines: usize, depth: u32) -> Analysis {
        let line = |known: &RootMove| ScoredLine {
            score: known.score,
            moves: known.line.clone(),
        };
        Analysis {
            lines: moves.iter().take(n_lines).map(line).collect(),
            depth,
            deepest: self.deepest as u32,
            nodes: self.nodes,
        }
    }

    /// Finds the best of the moves from index `line` on and puts it there: first with an aspiration
    /// window, which widens until it contains the score.
    fn search_line(&mut self, depth: i32, line: usize, moves: &mut [RootMove]) {
        let expected = moves[line].score;
        let mut margin = self.shared.parameters.aspiration;
        let mut window = match margin > 0 && depth >= 4 && !is_decided(expected) {
            true => Window {
                alpha: expected - margin,
                beta: expected + margin,
            },
            false => Window::FULL,
        };
        while !self.is_stopped {
            let score = self.search_root(depth, window, &mut moves[line..]);
            margin = margin.saturating_mul(3);
            if score <= window.alpha && window.alpha > -INFINITY {
                window.alpha = widened(score - margin, margin);
            } else if score >= window.beta && window.beta < INFINITY {
                window.beta = widened(score + margin, margin);
            } else {
                break;
            }
        }
    }

    /// Searches the moves within a window and puts the best one first, if any exceeds alpha.
    fn search_root(&mut self, depth: i32, window: Window, moves: &mut [RootMove]) -> i32 {
        let mut best = -INFINITY;
        let mut alpha = window.alpha;
        for tried in 0..moves.len() {
            let score =
                self.search_root_move(depth, moves[tried].mv, tried, Window { alpha, ..window });
            if self.is_stopped {
                return best;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                let root = &mut moves[tried];
                root.score = score;
                root.line.clear();
                root.line.push(root.mv);
                root.line.extend_from_slice(&self.memory.frames[1].line);
                moves[..=tried].rotate_right(1);
            }
            if alpha >= window.beta {
                break;
            }
        }
        best
    }

    fn search_root_move(&mut self, depth: i32, mv: Move, tried: usize, window: Window) -> i32 {
        self.descend(0, mv);
        let reduction = match tried > 2 && depth > 3 && !mv.is_capture() {
            true => self.shared.reductions.plies(depth, tried) / 2,
            false => 0,
        };
        let null = Window::above(window.alpha).flipped();
        let mut score = window.alpha + 1;
        if tried > 0 {
            score = -self.node(1, depth - 1 - reduction, null);
            if reduction > 0 && score > window.alpha && !self.is_stopped {
                score = -self.node(1, depth - 1, null);
            }
        }
        if tried == 0 || score > window.alpha && !self.is_stopped {
            score = -self.node(1, depth - 1, window.flipped());
        }
        self.ascend();
        score
    }
}

/// A wider bound; infinite once the margin is large or the bound near a win.
fn widened(bound: i32, margin: i32) -> i32 {
    match margin > 1_000 || is_decided(bound) {
        true if bound > 0 => INFINITY,
        true => -INFINITY,
        false => bound,
    }
}
