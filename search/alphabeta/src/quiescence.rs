//! Quiescence: captures beyond the nominal depth, until the static evaluation is meaningful.

use rules::{Position, Setup};

use crate::evaluation::Evaluation;
use crate::node::{Found, Node};
use crate::score::{INFINITY, MAX_PLIES, Window};
use crate::table::{Bound, Entry, PackedMove};
use crate::thread::Thread;

/// True if the side to move would lose pieces if it passed.
fn is_threatened(position: &Position) -> bool {
    let setup = Setup {
        turn: !position.turn(),
        ..position.setup()
    };
    Position::new(position.variant(), &setup)
        .is_ok_and(|passed| passed.legal_moves().iter().any(|mv| mv.is_capture()))
}

impl<E: Evaluation> Thread<'_, E> {
    /// The value of the position at `ply`, searching only captures, and for `threat_plies` further
    /// plies all moves of a side that is threatened with a capture.
    ///
    /// Captures are mandatory, so a side that can capture has no standing pat. Therefore static
    /// evaluation is reliable in draughts.
    pub(crate) fn quiesce(&mut self, ply: usize, threat_plies: i32, window: Window) -> i32 {
        if let Some(score) = self.enter(ply, true) {
            return score;
        }
        let entry = self.shared.table.probe(self.memory.frames[ply].key);
        if let Some(score) = self.known_score(ply, 0, window, entry) {
            return score;
        }
        let frame = &self.memory.frames[ply];
        let can_capture = !frame.moves.is_empty();
        let must_capture = can_capture && frame.is_capture_mandatory();
        let is_threatened = !can_capture && threat_plies > 0 && is_threatened(&frame.position);
        let mut best = -INFINITY;
        if ply >= MAX_PLIES || !must_capture && !is_threatened {
            let known = entry.and_then(|entry| entry.evaluation);
            best = known.unwrap_or_else(|| self.evaluate(ply));
            self.memory.frames[ply].evaluation = Some(best);
            if ply >= MAX_PLIES || !can_capture || best >= window.beta {
                self.remember_quiet(ply, best, window, entry);
                return best;
            }
        }
        if is_threatened {
            let frame = &mut self.memory.frames[ply];
            frame.position.generate(&mut frame.moves);
        }
        self.rank_moves(ply, entry);
        let node = Node {
            ply,
            depth: 0,
            window,
            entry,
            is_quiet: !must_capture,
        };
        self.search_captures(&node, threat_plies - i32::from(is_threatened), best)
    }

    /// The best score of the ranked moves and of standing pat (`best`).
    fn search_captures(&mut self, node: &Node, threat_plies: i32, best: i32) -> i32 {
        let (ply, beta) = (node.ply, node.window.beta);
        let mut found = Found::new(node.window, best);
        for tried in 0..self.memory.frames[ply].ranks.len() {
            let mv = self.next_move(ply, tried);
            self.descend(ply, mv);
            let alpha = found.alpha;
            let inner = Window { alpha, beta }.flipped();
            let score = -self.quiesce(ply + 1, threat_plies, inner);
            self.ascend();
            if self.is_stopped {
                return 0;
            }
            if found.take(&mv, score, self.origin, beta) && !node.window.is_null() {
                self.extend_line(ply, mv);
            }
            if found.alpha >= beta {
                break;
            }
        }
        self.remember(node, &found);
        found.best
    }

    /// Stores an evaluation that ended a node.
    fn remember_quiet(&self, ply: usize, score: i32, window: Window, known: Option<Entry>) {
        if known.is_some() {
            return;
        }
        let frame = &self.memory.frames[ply];
        let entry = Entry {
            mv: PackedMove::NONE,
            score,
            evaluation: Some(score),
            depth: 0,
            bound: match score >= window.beta {
                true => Bound::Lower,
                false => Bound::Exact,
            },
        };
        self.shared.table.store(frame.key, &entry);
    }
}
