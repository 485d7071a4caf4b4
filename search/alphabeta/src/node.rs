//! The search of one node: principal variation search and selectivity.

use rules::Move;

use crate::evaluation::Evaluation;
use crate::order::{Place, is_crowning, next_best};
use crate::score::{INFINITY, MAX_PLIES, WIN, Window, is_decided};
use crate::table::{Bound, Entry, PackedMove, from_node, to_node};
use crate::thread::{ANYWHERE, Thread};

/// A node of the search.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) ply: usize,
    pub(crate) depth: i32,
    pub(crate) window: Window,
    /// The table entry for this position.
    pub(crate) entry: Option<Entry>,
    /// True if no capture is pending, so that the static evaluation is meaningful.
    pub(crate) is_quiet: bool,
}

/// The other moves of a node compared with the table move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// They were not searched, or neither of the following holds.
    Unknown,
    /// All of them are worse.
    Worse,
    /// At least one of them also fails high, with this score.
    CutOff(i32),
}

/// A move about to be searched.
pub(crate) struct Attempt {
    pub(crate) mv: Move,
    /// The depth of the search after the move.
    pub(crate) depth: i32,
    /// The plies that a first, null-window search is shallower.
    pub(crate) reduction: i32,
    /// The number of moves of this node searched earlier.
    pub(crate) tried: usize,
}

/// The result of the moves searched so far at a node.
pub(crate) struct Found {
    pub(crate) best: i32,
    pub(crate) alpha: i32,
    mv: PackedMove,
    /// See [`Thread::origin`].
    origin: i32,
}

impl Found {
    /// Starts without a move; `best` is the score of standing pat.
    pub(crate) fn new(window: Window, best: i32) -> Found {
        Found {
            best,
            alpha: window.alpha.max(best),
            mv: PackedMove::NONE,
            origin: ANYWHERE,
        }
    }

    /// Updates with a move's score. Returns true if the move becomes the best.
    pub(crate) fn take(&mut self, mv: &Move, score: i32, origin: i32, beta: i32) -> bool {
        // A score that causes a cutoff depends on that move alone; otherwise the score depends on
        // all moves.
        self.origin = match score >= beta {
            true => origin,
            false => self.origin.min(origin),
        };
        self.best = self.best.max(score);
        let is_better = score > self.alpha;
        if is_better {
            self.alpha = score;
            self.mv = PackedMove::new(mv);
        }
        is_better
    }
}

impl<E: Evaluation> Thread<'_, E> {
    /// The value of the position at `ply` for the side to move: exact inside the window, otherwise
    /// a bound on the side where it lies.
    pub(crate) fn node(&mut self, ply: usize, depth: i32, window: Window) -> i32 {
        if depth <= 0 || ply >= MAX_PLIES {
            return self.quiesce(ply, self.shared.parameters.threat_plies, window);
        }
        if let Some(score) = self.enter(ply, false) {
            return score;
        }
        // Mate distance pruning: a slower win than one already found changes nothing.
        let window = Window {
            alpha: window.alpha.max(ply as i32 - WIN),
            beta: window.beta.min(WIN - ply as i32 - 1),
        };
        if window.alpha >= window.beta {
            return window.alpha;
        }
        let entry = self.shared.table.probe(self.memory.frames[ply].key);
        if let Some(score) = self.known_score(ply, depth, window, entry) {
            return score;
        }
        let frame = &self.memory.frames[ply];
        let is_quiet =
            !frame.is_capture_mandatory() || !frame.moves.iter().any(|mv| mv.is_capture());
        let mut node = Node {
            ply,
            depth,
            window,
            entry,
            is_quiet,
        };
        self.judge(&node);
        if let Some(score) = self.cut_early(&node) {
            return score;
        }
        let least = self.shared.parameters.unknown_move_depth;
        if least > 0 && depth >= least && entry.is_none_or(|entry| entry.mv == PackedMove::NONE) {
            node.depth -= 1;
        }
        self.search_moves(&node)
    }

    /// The score of the table entry, if it is usable here.
    pub(crate) fn known_score(
        &self,
        ply: usize,
        depth: i32,
        window: Window,
        entry: Option<Entry>,
    ) -> Option<i32> {
        let entry = entry.filter(|_| window.is_null() && self.shared.parameters.table_cutoffs)?;
        let score = from_node(entry.score, ply);
        entry
            .answers(depth, window.alpha, window.beta, score)
            .then_some(score)
    }

    /// Evaluates the position, unless a capture is pending.
    fn judge(&mut self, node: &Node) {
        if !node.is_quiet {
            return;
        }
        let known = node.entry.and_then(|entry| entry.evaluation);
        let evaluation = known.unwrap_or_else(|| self.evaluate(node.ply));
        self.memory.frames[node.ply].evaluation = Some(evaluation);
    }

    /// Returns a score that makes searching the moves unnecessary at this depth.
    fn cut_early(&mut self, node: &Node) -> Option<i32> {
        let Window { beta, .. } = node.window;
        if !node.window.is_null() || is_decided(beta) {
            return None;
        }
        let evaluation = self.memory.frames[node.ply].evaluation?;
        let parameters = self.shared.parameters;
        // Reverse futility: the opponent will not make up this lead in the remaining plies.
        let ahead = parameters.static_margin * node.depth;
        if ahead > 0 && node.depth <= parameters.static_depth && evaluation - ahead >= beta {
            return Some(evaluation);
        }
        // ProbCut (Buro, 1995): a score well above beta at reduced depth predicts a cutoff at full
        // depth.
        let (margin, depth) = (
            parameters.probcut_margin,
            node.depth - parameters.probcut_reduction,
        );
        if margin > 0 && depth > 0 && evaluation >= beta && !is_decided(beta + margin) {
            let score = self.node(node.ply, depth, Window::above(beta + margin - 1));
            if self.is_stopped || score >= beta + margin {
                return Some(score - if is_decided(score) { 0 } else { margin });
            }
            self.memory.frames[node.ply].evaluation = Some(evaluation);
        }
        None
    }

    /// Searches the moves, best first, and stores the result.
    fn search_moves(&mut self, node: &Node) -> i32 {
        let others = self.compare_others(node);
        if let Others::CutOff(score) = others {
            return score;
        }
        self.rank_moves(node.ply, node.entry);
        self.memory.frames[node.ply].failed.clear();
        let mut found = Found::new(node.window, -INFINITY);
        for tried in 0..self.memory.frames[node.ply].ranks.len() {
            let mv = self.next_move(node.ply, tried);
            if tried > 0 && self.is_futile(node, &mv, &found) {
                continue;
            }
            let is_singular = tried == 0 && others == Others::Worse;
            let attempt = Attempt {
                mv,
                depth: node.depth - 1 + i32::from(is_singular) + self.extension(node),
                reduction: self.reduction(node, &mv, tried),
                tried,
            };
            let score = self.search_move(node.ply, attempt, found.alpha, node.window);
            if self.is_stopped {
                return 0;
            }
            self.note(node, &mv, score, &mut found);
            if found.alpha >= node.window.beta {
                break;
            }
        }
        self.remember(node, &found);
        found.best
    }

    /// Ranks the listed moves.
    pub(crate) fn rank_moves(&mut self, ply: usize, entry: Option<Entry>) {
        let best = entry.map_or(PackedMove::NONE, |entry| entry.mv);
        let (frames, order) = (&mut self.memory.frames, &self.memory.order);
        let frame = &mut frames[ply];
        let place = Place {
            position: &frame.position,
            ply,
            last: frame.last,
        };
        frame.ranks.clear();
        for (index, mv) in (0..).zip(&frame.moves) {
            frame.ranks.push((order.rank(&place, best, mv), index));
        }
    }

    /// The next move to search after `tried` others.
    #[inline]
    pub(crate) fn next_move(&mut self, ply: usize, tried: usize) -> Move {
        let frame = &mut self.memory.frames[ply];
        frame.moves[next_best(&mut frame.ranks, tried)]
    }

    /// True if a quiet move cannot be expected to reach alpha (futility).
    fn is_futile(&self, node: &Node, mv: &Move, found: &Found) -> bool {
        let parameters = self.shared.parameters;
        let Some(evaluation) = self.memory.frames[node.ply].evaluation else {
            return false;
        };
        let margin = parameters.futility_margin * node.depth;
        margin > 0
            && node.window.is_null()
            && node.depth <= parameters.futility_depth
            && evaluation + margin <= found.alpha
            && !is_decided(found.alpha)
            // While all moves so far lose, no move may be pruned: only the full list proves a loss.
            && !is_decided(found.best)
            && !self.is_sharp(node, mv)
    }

    /// True if a move changes the position more than its rank suggests.
    fn is_sharp(&self, node: &Node, mv: &Move) -> bool {
        mv.is_capture() || is_crowning(&self.memory.frames[node.ply].position, mv)
    }

    /// The value of a move of the node at `ply`. The first move gets the full window. Later moves
    /// get a null window and reduced depth, and are searched again if they beat alpha.
    // One of its two callers is most of a search.
    #[inline(always)]
    pub(crate) fn search_move(
        &mut self,
        ply: usize,
        attempt: Attempt,
        alpha: i32,
        window: Window,
    ) -> i32 {
        let Attempt {
            mv,
            depth,
            reduction,
            tried,
        } = attempt;
        self.descend(ply, mv);
        let null = Window::above(alpha).flipped();
        let mut score = alpha + 1;
        if tried > 0 {
            score = -self.node(ply + 1, depth - reduction, null);
            if reduction > 0 && score > alpha && !self.is_stopped {
                score = -self.node(ply + 1, depth, null);
            }
        }
        if tried == 0 || !window.is_null() && score > alpha && !self.is_stopped {
            let open = Window { alpha, ..window }.flipped();
            score = -self.node(ply + 1, depth, open);
        }
        self.ascend();
        score
    }

    /// The extension in plies: forced moves cost no depth, up to the configured number per line.
    fn extension(&mut self, node: &Node) -> i32 {
        let frame = &mut self.memory.frames[node.ply];
        let is_forced = frame.moves.len() == 1;
        if is_forced && frame.extensions < self.shared.parameters.forced_extensions {
            frame.extensions += 1;
            return 1;
        }
        0
    }

    fn reduction(&self, node: &Node, mv: &Move, tried: usize) -> i32 {
        if tried == 0 || node.depth < 2 || !node.is_quiet || self.is_sharp(node, mv) {
            return 0;
        }
        let frame = &self.memory.frames[node.ply];
        let place = Place {
            position: &frame.position,
            ply: node.ply,
            last: frame.last,
        };
        let history = i32::from(self.memory.order.history_of(&place, mv));
        let plies = self.shared.reductions.plies(node.depth, tried);
        let plies = plies - history / 6_000 - i32::from(!node.window.is_null());
        plies.clamp(0, node.depth - 1)
    }

    /// Updates with the score of a move.
    fn note(&mut self, node: &Node, mv: &Move, score: i32, found: &mut Found) {
        let Window { beta, .. } = node.window;
        if found.take(mv, score, self.origin, beta) && !node.window.is_null() {
            self.extend_line(node.ply, *mv);
        }
        let (frames, order) = (&mut self.memory.frames, &mut self.memory.order);
        let frame = &mut frames[node.ply];
        if score >= beta {
            let place = Place {
                position: &frame.position,
                ply: node.ply,
                last: frame.last,
            };
            order.learn(&place, node.depth, mv, &frame.failed);
        } else if !mv.is_capture() {
            frame.failed.push(*mv);
        }
    }

    /// Prepends a move to the best line of the child and makes it the best line of this node.
    pub(crate) fn extend_line(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.memory.frames.split_at_mut(ply + 1);
        let line = &mut above[ply].line;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0].line);
    }

    /// Stores the result in the table: the score only if it does not depend on how the node was
    /// reached.
    pub(crate) fn remember(&mut self, node: &Node, found: &Found) {
        let depends_on_path = found.origin < node.ply as i32;
        self.origin = if depends_on_path {
            found.origin
        } else {
            ANYWHERE
        };
        let bound = match found.best {
            _ if depends_on_path => Bound::None,
            best if best >= node.window.beta => Bound::Lower,
            best if best > node.window.alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let frame = &self.memory.frames[node.ply];
        let earlier = node.entry.map_or(PackedMove::NONE, |entry| entry.mv);
        let entry = Entry {
            mv: match found.mv {
                PackedMove::NONE => earlier,
                mv => mv,
            },
            score: to_node(found.best, node.ply),
            evaluation: frame.evaluation,
            depth: node.depth,
            bound,
        };
        self.shared.table.store(frame.key, &entry);
    }
}
