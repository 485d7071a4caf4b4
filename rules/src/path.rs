//! The squares that a capture visits. The generator works with sets of victims; this finds the ways
//! to make such a move, when notation asks for them.

use std::collections::HashSet;

use crate::geometry::{ALL, DIAGONALS, FORWARD, nearest, open_ray, ray, shift};
use crate::{KingReach, Lifting, Move, Position, Rules, Square};

impl Position {
    /// The squares of a legal move: start, every landing, end. Of several ways to make it this is
    /// the lexicographically smallest.
    pub fn path(&self, mv: Move) -> Vec<Square> {
        self.path_through(mv, &[])
            .unwrap_or_else(|| vec![mv.from, mv.to])
    }

    /// The ways to make a legal move, smallest first: all, or the first `limit`.
    pub fn paths(&self, mv: Move, limit: usize) -> Vec<Vec<Square>> {
        if !mv.is_capture() {
            return vec![vec![mv.from, mv.to]];
        }
        let mut walk = self.walk(mv);
        let mut paths = Vec::new();
        walk.collect_paths(self.empty_for(mv), mv.captured.0, limit, &mut paths);
        paths
    }

    /// The smallest path of a legal move on which `stops` are landed on in this order between start
    /// and end; none if there is no such path.
    pub(crate) fn path_through(&self, mv: Move, stops: &[Square]) -> Option<Vec<Square>> {
        if !mv.is_capture() {
            return stops.is_empty().then(|| vec![mv.from, mv.to]);
        }
        let mut walk = self.walk(mv);
        walk.reaches_end(self.empty_for(mv), mv.captured.0, stops)
            .then_some(walk.path)
    }

    /// The squares that the capturing piece may land on before its first jump.
    fn empty_for(&self, mv: Move) -> u64 {
        (self.board().mask() & !self.occupied() | mv.from.bit()).0
    }

    /// A walk that starts where the capture does.
    fn walk(&self, mv: Move) -> Walk {
        let rules = self.variant().rules();
        let is_king = self.all_kings().contains(mv.from);
        Walk {
            rules,
            far: is_king && rules.king_reach != KingReach::Short,
            directions: match is_king {
                true if rules.kings_jump_straight => &ALL,
                true => &DIAGONALS,
                false if rules.men_jump_all_ways => &ALL,
                false => &FORWARD[self.turn().index()],
            },
            end: mv.to,
            path: vec![mv.from],
            dead_ends: HashSet::new(),
        }
    }
}

struct Walk {
    rules: &'static Rules,
    /// Whether the piece jumps from a distance.
    far: bool,
    directions: &'static [usize],
    end: Square,
    /// The squares visited so far; never empty.
    path: Vec<Square>,
    /// (square, victims left, stops left) from which the end cannot be reached.
    dead_ends: HashSet<(Square, u64, usize)>,
}

impl Walk {
    /// Completes the path over all of `victims`, smallest landing squares first.
    fn reaches_end(&mut self, empty: u64, victims: u64, stops: &[Square]) -> bool {
        let at = self.path[self.path.len() - 1];
        if victims == 0 {
            return at == self.end && stops.is_empty();
        }
        if self.dead_ends.contains(&(at, victims, stops.len())) {
            return false;
        }
        for (landing, victim) in self.jumps(at, empty, victims) {
            let (empty, victims) = self.after_jump(empty, victims, victim);
            let stops = match stops {
                [stop, later @ ..] if *stop == landing && victims != 0 => later,
                _ => stops,
            };
            self.path.push(landing);
            if self.reaches_end(empty, victims, stops) {
                return true;
            }
            self.path.pop();
        }
        self.dead_ends.insert((at, victims, stops.len()));
        false
    }

    /// Adds the paths over all of `victims` that end where the move does, until there are `limit`.
    /// Squares from which there is none are remembered, so that the work is in proportion to the paths.
    fn collect_paths(
        &mut self,
        empty: u64,
        victims: u64,
        limit: usize,
        paths: &mut Vec<Vec<Square>>,
    ) {
        let at = self.path[self.path.len() - 1];
        if victims == 0 && at == self.end && paths.len() < limit {
            paths.push(self.path.clone());
        }
        if victims == 0 || self.dead_ends.contains(&(at, victims, 0)) {
            return;
        }
        let n_before = paths.len();
        for (landing, victim) in self.jumps(at, empty, victims) {
            if paths.len() >= limit {
                return;
            }
            let (empty, victims) = self.after_jump(empty, victims, victim);
            self.path.push(landing);
            self.collect_paths(empty, victims, limit, paths);
            self.path.pop();
        }
        if paths.len() == n_before {
            self.dead_ends.insert((at, victims, 0));
        }
    }

    /// The empty squares and the victims left after a jump.
    fn after_jump(&self, empty: u64, victims: u64, victim: u64) -> (u64, u64) {
        match self.rules.lifting {
            Lifting::AtOnce => (empty | victim, victims & !victim),
            Lifting::AfterMove => (empty, victims & !victim),
        }
    }

    /// The jumps from a square over one of `victims`, as (landing, victim bit), smallest landing first.
    fn jumps(&self, at: Square, empty: u64, victims: u64) -> Vec<(Square, u64)> {
        let board = self.rules.board;
        let mut jumps = Vec::new();
        for &direction in self.directions {
            let blockers = if self.far {
                ray(board, direction, at) & !empty
            } else {
                shift(at.bit().0, direction) & board.mask().0 & !empty
            };
            if blockers == 0 {
                continue;
            }
            let first = nearest(blockers, direction);
            let victim = first.bit().0 & victims;
            let landings = if self.far && self.rules.king_reach == KingReach::FarLandsAnywhere {
                open_ray(board, direction, first, !empty)
            } else {
                shift(first.bit().0, direction) & empty
            };
            if victim != 0 {
                jumps.extend(crate::Bitboard(landings).iter().map(|to| (to, victim)));
            }
        }
        jumps.sort_unstable();
        jumps
    }
}
