//! Singular extensions: is the table's move the only good one of a node?

use crate::evaluation::Evaluation;
use crate::node::{Node, Others};
use crate::score::{INFINITY, Window, is_decided};
use crate::table::{Bound, PackedMove, from_node};
use crate::thread::{ANYWHERE, Thread};

/// The maximum depth deficit of a table entry used for a singular test.
const LESS_DEEP: i32 = 3;

impl<E: Evaluation> Thread<'_, E> {
    /// Searches all moves but the table move at half depth.
    pub(crate) fn compare_others(&mut self, node: &Node) -> Others {
        let parameters = self.shared.parameters;
        let is_deep = parameters.singular_depth > 0 && node.depth >= parameters.singular_depth;
        let Some(entry) = node.entry.filter(|_| is_deep) else {
            return Others::Unknown;
        };
        let score = from_node(entry.score, node.ply);
        let is_known = entry.mv != PackedMove::NONE
            && entry.depth >= node.depth - LESS_DEEP
            && matches!(entry.bound, Bound::Lower | Bound::Exact)
            && !is_decided(score);
        if !is_known || self.memory.frames[node.ply].moves.len() < 2 {
            return Others::Unknown;
        }
        let bound = score - parameters.singular_margin * node.depth;
        let best = self.best_of_others(node, entry.mv, bound);
        match best {
            _ if self.is_stopped => Others::Unknown,
            _ if best < bound => Others::Worse,
            _ if node.window.is_null() && bound >= node.window.beta => {
                if self.origin >= node.ply as i32 {
                    self.origin = ANYWHERE;
                }
                Others::CutOff(bound)
            }
            _ => Others::Unknown,
        }
    }

    /// The best score of all moves but `mv`, up to the first that reaches `bound`.
    fn best_of_others(&mut self, node: &Node, mv: PackedMove, bound: i32) -> i32 {
        let (ply, depth) = (node.ply, (node.depth - 1) / 2 - 1);
        let mut best = -INFINITY;
        for index in 0..self.memory.frames[ply].moves.len() {
            let other = self.memory.frames[ply].moves[index];
            if PackedMove::new(&other) == mv {
                continue;
            }
            self.descend(ply, other);
            let score = -self.node(ply + 1, depth, Window::above(bound - 1).flipped());
            self.ascend();
            best = best.max(score);
            if self.is_stopped || best >= bound {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64};

    use rules::{Game, Position, Variant};

    use super::*;
    use crate::parameters::{Parameters, Reductions};
    use crate::table::{Entry, Table};
    use crate::thread::{Memory, Shared};
    use crate::{LOGIT, MaterialBalance};

    /// Compares the moves of a node at depth 7 in which an optional capture wins a man, given a
    /// table entry with this depth and score.
    fn others(depth: i32, score: i32, window: Window) -> Others {
        let fen = "W:W22,32:B18,5";
        let position = Position::from_fen(Variant::Customary, fen).unwrap();
        let parameters = Parameters::DEFAULT;
        let shared = Shared {
            evaluation: &MaterialBalance,
            oracle: None,
            parameters: &parameters,
            reductions: &Reductions::new(&parameters),
            table: &Table::new(1 << 20),
            stop: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            node_limit: u64::MAX,
            is_over: &|_| false,
        };
        let mut memory = Memory::new(&MaterialBalance, position);
        memory.path.restart(&Game::new(position));
        let mut thread = Thread::new(&mut memory, &shared, true);
        thread.set_root(position);
        let moves = position.legal_moves();
        let capture = moves.iter().find(|mv| mv.is_capture()).unwrap();
        let entry = Entry {
            mv: PackedMove::new(capture),
            score,
            evaluation: None,
            depth,
            bound: Bound::Lower,
        };
        thread.compare_others(&Node {
            ply: 0,
            depth: 7,
            window,
            entry: Some(entry),
            is_quiet: true,
        })
    }

    #[test]
    fn a_move_is_singular_where_all_others_are_worse() {
        let null = Window::above(0);
        assert!(others(5, LOGIT, null) == Others::Worse);
        assert!(others(5, LOGIT, Window::FULL) == Others::Worse);
        // An entry from a shallow search is not used.
        assert!(others(3, LOGIT, null) == Others::Unknown);
    }

    #[test]
    fn a_second_move_that_cuts_off_ends_the_node() {
        let margin = 7 * Parameters::DEFAULT.singular_margin;
        let lost = -10 * LOGIT;
        let cut = others(5, lost, Window::above(lost - margin - 1));
        assert!(cut == Others::CutOff(lost - margin));
        // The score of the others does not exceed beta, or the window asks for an exact score.
        assert!(others(5, lost, Window::above(lost - margin)) == Others::Unknown);
        assert!(others(5, lost, Window::FULL) == Others::Unknown);
    }
}
