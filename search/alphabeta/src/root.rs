//! The root search: iterative deepening and multiple lines.

use std::ops::ControlFlow;

use rules::{Game, Move};

use crate::analysis::{Analysis, ScoredLine};
use crate::evaluation::Evaluation;
use crate::node::Attempt;
use crate::score::{INFINITY, MAX_PLIES, WIN, Window, is_decided};
use crate::search::Limits;
use crate::thread::Thread;

/// Puts the compared move after the best lines if it is none of them. Returns the number of moves
/// whose lines are found at each depth.
fn place_compared(n_lines: usize, compared: Option<Move>, moves: &mut [ScoredLine]) -> usize {
    let place = |mv| moves.iter().position(|known| known.moves[0] == mv);
    match compared.and_then(place) {
        Some(place) if place >= n_lines => {
            moves[n_lines..=place].rotate_right(1);
            n_lines + 1
        }
        _ => n_lines,
    }
}

impl<E: Evaluation> Thread<'_, E> {
    /// Deepens until stopped. Calls `report` after each depth; it may end the search. Returns the
    /// moves, best first.
    pub(crate) fn deepen(
        &mut self,
        game: &Game,
        limits: &Limits,
        first_depth: u32,
        report: &mut dyn FnMut(&Analysis) -> ControlFlow<()>,
    ) -> Analysis {
        self.memory.path.restart(game);
        self.memory.order.forget_killers();
        self.set_root(*game.position());
        let mut moves = self.root_moves();
        let n_lines = limits.lines.clamp(1, moves.len().max(1));
        let mut n_found = place_compared(n_lines, limits.compared, &mut moves);
        let mut analysis = self.analysis(&moves[..n_found], 0);
        for depth in first_depth..=limits.depth.clamp(1, MAX_PLIES as u32 - 1) {
            self.deepest = 0;
            for line in 0..n_lines {
                self.search_line(depth as i32, line, &mut moves);
            }
            if !self.is_stopped {
                n_found = place_compared(n_lines, limits.compared, &mut moves);
                for line in n_lines..n_found {
                    self.search_line(depth as i32, line, &mut moves[..n_found]);
                }
            }
            if self.is_stopped {
                // With one line, the best move of an incomplete depth replaces the one of the last
                // complete depth. Several lines are comparable only at equal depth.
                let is_alone = n_lines == 1 && limits.compared.is_none();
                if is_alone || analysis.depth == 0 {
                    moves[..n_found].sort_by_key(|known| -known.score);
                    analysis.lines = self.analysis(&moves[..n_found], depth).lines;
                }
                break;
            }
            moves[..n_found].sort_by_key(|known| -known.score);
            analysis = self.analysis(&moves[..n_found], depth);
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

    /// The legal moves in their initial order, each as a line. Its score is exact at the last depth
    /// at which it was among the best.
    fn root_moves(&mut self) -> Vec<ScoredLine> {
        let entry = self.shared.table.probe(self.memory.frames[0].key);
        self.rank_moves(0, entry);
        let n_moves = self.memory.frames[0].moves.len();
        let ranked = (0..n_moves).map(|tried| {
            let moves = vec![self.next_move(0, tried)];
            let score = -INFINITY;
            ScoredLine { score, moves }
        });
        ranked.collect()
    }

    fn analysis(&self, lines: &[ScoredLine], depth: u32) -> Analysis {
        Analysis {
            lines: lines.to_vec(),
            depth,
            deepest: self.deepest as u32,
            nodes: self.nodes,
        }
    }

    /// Finds the best of the moves from index `line` on and puts it there: first with an aspiration
    /// window, which widens until it contains the score.
    fn search_line(&mut self, depth: i32, line: usize, moves: &mut [ScoredLine]) {
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
    fn search_root(&mut self, depth: i32, window: Window, moves: &mut [ScoredLine]) -> i32 {
        let mut best = -INFINITY;
        let mut alpha = window.alpha;
        for tried in 0..moves.len() {
            let mv = moves[tried].moves[0];
            let attempt = Attempt {
                mv,
                depth: depth - 1,
                reduction: match tried > 2 && depth > 3 && !mv.is_capture() {
                    true => self.shared.reductions.plies(depth, tried) / 2,
                    false => 0,
                },
                tried,
            };
            let score = self.search_move(0, attempt, alpha, window);
            if self.is_stopped {
                return best;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                let root = &mut moves[tried];
                root.score = score;
                root.moves.truncate(1);
                root.moves.extend_from_slice(&self.memory.frames[1].line);
                moves[..=tried].rotate_right(1);
            }
            if alpha >= window.beta {
                break;
            }
        }
        best
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
