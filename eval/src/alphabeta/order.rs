//! Move ordering. It changes the work, never the result.

use std::cmp::Reverse;

use rules::{Move, MoveList, Position};

const TABLE_BITS: u32 = 14;
/// Ranks of a node's moves, in wide steps: remembered best move, captures, killers, history.
const REMEMBERED: i32 = 1 << 30;
const PER_VICTIM: i32 = 1 << 24;
const KILLER: i32 = 1 << 23;
const HISTORY_LIMIT: i32 = 1 << 22;

/// Moves that earlier parts of the search found good.
pub(super) struct MoveOrder {
    /// [hash, low bits] the best move last found in a position.
    remembered: Vec<Remembered>,
    /// Marks the entries of the current search; all others count as empty.
    search_number: u32,
    /// [ply] a quiet move that refuted a sibling.
    killers: Vec<Option<Move>>,
    /// [color][from][to] how often a quiet move cut off, weighted by depth.
    history: Box<[[[i32; 64]; 64]; 2]>,
}

#[derive(Clone, Copy)]
struct Remembered {
    search_number: u32,
    hash: u64,
    mv: Option<Move>,
}

impl MoveOrder {
    pub(super) fn new() -> Self {
        let empty = Remembered {
            search_number: 0,
            hash: 0,
            mv: None,
        };
        Self {
            remembered: vec![empty; 1 << TABLE_BITS],
            search_number: 0,
            killers: Vec::new(),
            history: Box::new([[[0; 64]; 64]; 2]),
        }
    }

    /// Forgets everything, so that a search does not depend on those before it.
    pub(super) fn restart(&mut self, n_plies: usize) {
        self.search_number = self.search_number.wrapping_add(1);
        self.killers.clear();
        self.killers.resize(n_plies, None);
        *self.history = [[[0; 64]; 64]; 2];
    }

    /// Replaces `ranks` by (rank, index) of every move, or of the captures only.
    pub(super) fn rank(
        &self,
        position: &Position,
        ply: usize,
        moves: &MoveList,
        captures_only: bool,
        ranks: &mut Vec<(i32, usize)>,
    ) {
        let slot = &self.remembered[slot(position)];
        let is_valid = slot.search_number == self.search_number && slot.hash == position.hash();
        let remembered = slot.mv.filter(|_| is_valid);
        let history = &self.history[position.turn().index()];
        ranks.clear();
        for (index, &mv) in moves.iter().enumerate() {
            let rank = if Some(mv) == remembered {
                REMEMBERED
            } else if mv.is_capture() {
                PER_VICTIM * mv.captured.count() as i32
            } else if captures_only {
                continue;
            } else if Some(mv) == self.killers[ply] {
                KILLER
            } else {
                history[mv.from.index()][mv.to.index()]
            };
            ranks.push((rank, index));
        }
    }

    /// Records the best move of a node, and whether it caused a cut-off.
    pub(super) fn learn(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        mv: Move,
        cut: bool,
    ) {
        self.remembered[slot(position)] = Remembered {
            search_number: self.search_number,
            hash: position.hash(),
            mv: Some(mv),
        };
        if cut && !mv.is_capture() {
            self.killers[ply] = Some(mv);
            let count = &mut self.history[position.turn().index()][mv.from.index()][mv.to.index()];
            *count = (*count + depth * depth).min(HISTORY_LIMIT);
        }
    }
}

/// Takes the move with the highest rank among `ranks[from..]`, ties by generation order, to the
/// front.
pub(super) fn next_best(ranks: &mut [(i32, usize)], from: usize) -> usize {
    let order = |&at: &usize| (ranks[at].0, Reverse(ranks[at].1));
    let best = (from..ranks.len()).max_by_key(order).unwrap_or(from);
    ranks.swap(from, best);
    ranks[from].1
}

fn slot(position: &Position) -> usize {
    (position.hash() >> (64 - TABLE_BITS)) as usize
}
