//! Move ordering.

use rules::{Color, Move, Position};

use crate::table::PackedMove;

/// Ranks of moves, far apart: table move, captures, promotions, killers, countermove, history.
const TABLE_MOVE: i32 = 1 << 30;
const CAPTURE: i32 = 1 << 26;
const CROWNING: i32 = 1 << 22;
const KILLERS: [i32; 2] = [1 << 21, 1 << 20];
const ANSWER: i32 = 1 << 19;
/// The bound at which history counts saturate.
const HISTORY_LIMIT: i32 = 1 << 14;

/// The size of arrays indexed by square, with room to spare.
const SQUARES: usize = 64;
type BySquares<T> = [[T; SQUARES]; SQUARES];

/// Move ordering statistics collected by earlier parts of the search.
pub(crate) struct MoveOrder {
    /// [ply] the last two quiet moves that caused a cutoff at a sibling, latest first.
    killers: Vec<[PackedMove; 2]>,
    /// [mover, king moved][from][to] history score of a quiet move.
    history: Box<[BySquares<i16>; 4]>,
    /// [mover][from][to of the previous move] countermove: the quiet move that last refuted it.
    answers: Box<[BySquares<PackedMove>; 2]>,
}

/// The parts of a node that ordering needs.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) position: &'a Position,
    pub(crate) ply: usize,
    /// The previous move.
    pub(crate) last: Option<Move>,
}

impl Place<'_> {
    fn mover(&self) -> usize {
        usize::from(self.position.turn() == Color::White)
    }

    fn piece(&self, mv: &Move) -> usize {
        2 * self.mover() + usize::from(self.position.all_kings().contains(mv.from))
    }
}

impl MoveOrder {
    pub(crate) fn new(n_plies: usize) -> MoveOrder {
        MoveOrder {
            killers: vec![[PackedMove::NONE; 2]; n_plies],
            history: Box::new([[[0; SQUARES]; SQUARES]; 4]),
            answers: Box::new([[[PackedMove::NONE; SQUARES]; SQUARES]; 2]),
        }
    }

    /// Clears all statistics.
    pub(crate) fn clear(&mut self) {
        self.forget_killers();
        *self.history = [[[0; SQUARES]; SQUARES]; 4];
        *self.answers = [[[PackedMove::NONE; SQUARES]; SQUARES]; 2];
    }

    /// Clears the killers, which are valid for one root only.
    pub(crate) fn forget_killers(&mut self) {
        self.killers.fill([PackedMove::NONE; 2]);
    }

    /// The rank of a move; higher is searched earlier.
    #[inline]
    pub(crate) fn rank(&self, place: &Place<'_>, best: PackedMove, mv: &Move) -> i32 {
        let packed = PackedMove::new(mv);
        if packed == best {
            return TABLE_MOVE;
        }
        let history = i32::from(self.history_of(place, mv));
        if mv.is_capture() {
            let kings = (mv.captured & place.position.all_kings()).count();
            let victims = (2 * mv.captured.count() + kings) as i32;
            return CAPTURE + victims * 2 * HISTORY_LIMIT + history;
        }
        let killers = &self.killers[place.ply];
        match packed {
            _ if is_crowning(place.position, mv) => CROWNING + history,
            _ if packed == killers[0] => KILLERS[0],
            _ if packed == killers[1] => KILLERS[1],
            _ if Some(packed) == self.answer(place) => ANSWER,
            _ => history,
        }
    }

    /// The history score of a quiet move, within ±16384.
    #[inline]
    pub(crate) fn history_of(&self, place: &Place<'_>, mv: &Move) -> i16 {
        self.history[place.piece(mv)][mv.from.index()][mv.to.index()]
    }

    fn answer(&self, place: &Place<'_>) -> Option<PackedMove> {
        let last = place.last?;
        Some(self.answers[place.mover()][last.from.index()][last.to.index()])
    }

    /// Rewards `mv`, which caused a cutoff, and penalizes the quiet moves `failed` searched before
    /// it.
    pub(crate) fn learn(&mut self, place: &Place<'_>, depth: i32, mv: &Move, failed: &[Move]) {
        let bonus = (32 * depth * depth).min(1_600);
        for failed in failed {
            self.credit(place, failed, -bonus);
        }
        if mv.is_capture() {
            return;
        }
        self.credit(place, mv, bonus);
        let packed = PackedMove::new(mv);
        let killers = &mut self.killers[place.ply];
        if killers[0] != packed {
            *killers = [packed, killers[0]];
        }
        if let Some(last) = place.last {
            self.answers[place.mover()][last.from.index()][last.to.index()] = packed;
        }
    }

    /// Updates with gravity: the further a count is from its limit, the larger the step.
    fn credit(&mut self, place: &Place<'_>, mv: &Move, bonus: i32) {
        let count = &mut self.history[place.piece(mv)][mv.from.index()][mv.to.index()];
        let old = i32::from(*count);
        *count = (old + bonus - old * bonus.abs() / HISTORY_LIMIT) as i16;
    }
}

/// True if the move promotes a man.
#[inline]
pub(crate) fn is_crowning(position: &Position, mv: &Move) -> bool {
    let rules = position.variant().rules();
    !position.all_kings().contains(mv.from) && rules.promotes(position.turn(), mv)
}

/// Moves the highest of `ranks[from..]` to position `from`; generation order breaks ties.
#[inline]
pub(crate) fn next_best(ranks: &mut [(i32, u32)], from: usize) -> usize {
    let mut best = from;
    for candidate in from + 1..ranks.len() {
        let (rank, index) = ranks[candidate];
        if rank > ranks[best].0 || (rank == ranks[best].0 && index < ranks[best].1) {
            best = candidate;
        }
    }
    ranks.swap(from, best);
    ranks[from].1 as usize
}
