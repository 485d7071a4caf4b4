//! Scores of single positions, without a search tree.

use rules::{Move, MoveList, Outcome, Position};

use crate::evaluation::Evaluation;
use crate::score::{INFINITY, MAX_EVALUATION, WIN, Window};

/// Scores positions by their best move, after which captures are played out.
///
/// For callers with many unrelated positions: an [`AlphaBetaSearch`](crate::AlphaBetaSearch) of
/// depth 1 takes longer to start than to run. A score depends on the position alone, so repetitions
/// are no draws.
#[derive(Clone)]
pub struct LeafScorer<E: Evaluation> {
    evaluation: E,
    /// [ply + 1] states of the positions on the line; the first is the one of an earlier root.
    states: Vec<E::State>,
    /// [ply] the captures on the line.
    captures: Vec<MoveList>,
}

impl<E: Evaluation> LeafScorer<E> {
    /// A scorer with this evaluation.
    pub fn new(evaluation: E) -> LeafScorer<E> {
        LeafScorer {
            evaluation,
            states: Vec::new(),
            captures: Vec::new(),
        }
    }

    /// The score of a position for the side to move, in units of [`WIN`]. `moves` are its legal
    /// moves, at least one.
    pub fn score(&mut self, position: &Position, moves: &[Move]) -> i32 {
        self.make_room(0);
        let is_quiet = !moves.iter().any(|mv| mv.is_capture());
        if is_quiet {
            // Its state makes the positions after its moves cheap to evaluate.
            self.evaluate(position, 0, 0);
            self.states.swap(0, 1);
        }
        let mut best = -INFINITY;
        for &mv in moves {
            let window = Window {
                alpha: best,
                beta: INFINITY,
            };
            best = best.max(-self.quiesce(&position.play(mv), 1, 0, window.flipped()));
        }
        best
    }

    /// The score of the position at `ply` after its captures; where captures are optional, the side
    /// to move may stop. `near` is the index of the nearest state.
    fn quiesce(&mut self, position: &Position, ply: usize, near: usize, window: Window) -> i32 {
        self.make_room(ply);
        position.generate_captures(&mut self.captures[ply]);
        let n_captures = self.captures[ply].len();
        match position.outcome_with(n_captures > 0 || position.has_moves(), 0) {
            Some(Outcome::Win(winner, _)) if winner == position.turn() => return WIN,
            Some(Outcome::Win(..)) => return -WIN,
            Some(Outcome::Draw(_)) => return 0,
            None => {}
        }
        let (mut best, mut near) = (-INFINITY, near);
        if n_captures == 0 || !position.variant().rules().capture_is_mandatory {
            best = self.evaluate(position, ply, near);
            near = ply + 1;
        }
        for index in 0..n_captures {
            if best >= window.beta {
                break;
            }
            let next = position.play(self.captures[ply][index]);
            let alpha = window.alpha.max(best);
            let inner = Window { alpha, ..window }.flipped();
            best = best.max(-self.quiesce(&next, ply + 1, near, inner));
        }
        best
    }

    /// The static evaluation of the position at `ply`.
    fn evaluate(&mut self, position: &Position, ply: usize, near: usize) -> i32 {
        let (before, own) = self.states.split_at_mut(ply + 1);
        let score = self
            .evaluation
            .evaluate(position, &before[near], &mut own[0]);
        score.clamp(-MAX_EVALUATION, MAX_EVALUATION)
    }

    /// Makes room for the position at `ply`.
    fn make_room(&mut self, ply: usize) {
        if self.states.len() < ply + 2 {
            self.states.resize(ply + 2, self.evaluation.state());
            self.captures.resize_with(ply + 1, MoveList::new);
        }
    }
}
