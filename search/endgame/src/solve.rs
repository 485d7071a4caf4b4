//! Retrograde analysis, one material after another, with both sides to move.
//!
//! A first pass over all positions evaluates final positions, captures and promotions, and counts
//! the quiet moves, which stay within the material. Then values spread backwards in waves: a
//! position with a move to a lost one is won; a position all of whose moves lead to won ones is
//! lost. Positions that no wave reaches are draws. A wave contains the positions at one distance,
//! so values depend neither on the order within it nor on the number of threads.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU64};

use rayon::prelude::*;
use rules::{Color, Move, MoveList, Outcome, Position, Restart, Rules, Variant};

use crate::database::{Database, Slice};
use crate::index::Index;
use crate::unmoves::for_each_unmove;
use crate::values::Values;
use crate::{EndgameError, GameValue, Material};

/// Positions per task in the first pass: whole words of the wave bitmaps.
const CHUNK: usize = 4_096;
/// Words per task in a wave.
const WORDS: usize = 64;

/// The state of a position in one byte. Values between [`LOST`] and [`NOT_LOST`] count the quiet
/// moves not known to lose, when all other moves lose.
const LOST: u8 = 0;
/// Some capture or promotion draws: the position can only become won.
const NOT_LOST: u8 = 0xfd;
/// A draw regardless of the waves, since there is no quiet move that counts.
const DRAWN: u8 = 0xfe;
const WON: u8 = 0xff;

impl Database {
    /// Builds the values of all positions of `variant` with 2 to `n_pieces` pieces on rayon's
    /// threads. They do not depend on the number of threads. Calls `report` with each finished
    /// slice.
    ///
    /// # Errors
    ///
    /// If `n_pieces` is not between 2 and [`MAX_PIECES`](crate::MAX_PIECES).
    pub fn build(
        variant: Variant,
        n_pieces: usize,
        mut report: impl FnMut(&Slice),
    ) -> Result<Database, EndgameError> {
        let mut database = Database::empty(variant, n_pieces);
        for material in Material::all(n_pieces)? {
            if database.slice(material).is_some() {
                continue;
            }
            for slice in solve(&database, material) {
                report(&slice);
                database.insert(slice);
            }
        }
        Ok(database)
    }

    /// The peak memory of [`Database::build`] in bytes, to within a few megabytes.
    ///
    /// # Errors
    ///
    /// If `n_pieces` is not between 2 and [`MAX_PIECES`](crate::MAX_PIECES).
    pub fn build_bytes(variant: Variant, n_pieces: usize) -> Result<usize, EndgameError> {
        let mut stored = 0;
        let mut peak = 0;
        for material in Material::all(n_pieces)? {
            let len = |material| Index::new(variant.rules(), material).len();
            let len_both: usize = material.sides().map(len).sum();
            stored += Values::n_bytes(len(material));
            // A byte for the state, a bit in each of two waves, two bits for the value.
            peak = peak.max(stored + len_both * 3 / 2);
        }
        Ok(peak)
    }

    /// The number of positions that [`Database::build`] solves. A position and its color-swapped
    /// twin count as one.
    ///
    /// # Errors
    ///
    /// If `n_pieces` is not between 2 and [`MAX_PIECES`](crate::MAX_PIECES).
    pub fn count_positions(variant: Variant, n_pieces: usize) -> Result<usize, EndgameError> {
        let materials = Material::all(n_pieces)?.into_iter();
        let len = |material| Index::new(variant.rules(), material).len();
        Ok(materials.map(len).sum())
    }
}

/// Solves a material and its swapped one, which is the same if both sides have equal pieces. All
/// materials reachable by captures and promotions must be in `solved`.
fn solve(solved: &Database, material: Material) -> Vec<Slice> {
    let analysis = |material| Analysis::new(solved, material);
    let mut sides: Vec<_> = material.sides().map(analysis).collect();
    for side in &sides {
        side.value_exits();
    }
    let limit = ply_limit(solved.variant().rules(), material);
    let mut distance = 0;
    while sides.iter().any(Analysis::is_unfinished) {
        if u32::from(distance) < limit {
            for (at, side) in sides.iter().enumerate() {
                side.spread_to(&sides[(at + 1) % sides.len()]);
            }
        }
        for side in &mut sides {
            side.advance(distance);
        }
        distance += 1;
    }
    sides.into_iter().map(Analysis::finish).collect()
}

/// The maximum number of plies of a win within a material. There is no limit where men can restart
/// the counter of plies without progress.
pub(crate) fn ply_limit(rules: &Rules, material: Material) -> u32 {
    let Material { own, enemy } = material;
    match own.men + enemy.men > 0 && rules.draws.restart(own, enemy) == Restart::Progress {
        true => u32::MAX,
        false => rules.draws.limit(own, enemy),
    }
}

/// The analysis of the positions of one material.
struct Analysis<'a> {
    solved: &'a Database,
    rules: &'static Rules,
    material: Material,
    index: Index,
    /// [index] the state.
    states: Vec<AtomicU8>,
    /// One bit per position: those decided at the current and at the next distance.
    wave: Vec<AtomicU64>,
    next_wave: Vec<AtomicU64>,
    longest: u16,
}

impl<'a> Analysis<'a> {
    fn new(solved: &'a Database, material: Material) -> Analysis<'a> {
        let rules = solved.variant().rules();
        let index = Index::new(rules, material);
        let bits = || {
            (0..index.len().div_ceil(64))
                .map(|_| AtomicU64::new(0))
                .collect()
        };
        Analysis {
            solved,
            rules,
            material,
            states: (0..index.len()).map(|_| AtomicU8::new(DRAWN)).collect(),
            wave: bits(),
            next_wave: bits(),
            longest: 0,
            index,
        }
    }

    /// The first pass: finished games are at distance 0, positions decided by captures and
    /// promotions at distance 1.
    fn value_exits(&self) {
        let chunks = self.states.par_chunks(CHUNK).enumerate();
        chunks.for_each_init(MoveList::new, |moves, (chunk, states)| {
            for (offset, state) in states.iter().enumerate() {
                let at = chunk * CHUNK + offset;
                let position = self.index.unrank(at).position(self.solved.variant());
                position.generate(moves);
                let first = match position.outcome_with(!moves.is_empty(), 0) {
                    Some(Outcome::Draw(_)) => DRAWN,
                    Some(Outcome::Win(winner, _)) => {
                        mark(&self.wave, at);
                        if winner == position.turn() { WON } else { LOST }
                    }
                    None => {
                        let first = self.first_state(&position, moves);
                        if first == WON || first == LOST {
                            mark(&self.next_wave, at);
                        }
                        first
                    }
                };
                state.store(first, Relaxed);
            }
        });
    }

    /// The state of a position considering only its captures and promotions.
    fn first_state(&self, position: &Position, moves: &[Move]) -> u8 {
        let mut n_quiet = 0;
        let mut can_draw = false;
        for &mv in moves {
            if self.is_quiet(position, mv) {
                n_quiet += 1;
                continue;
            }
            let value = self.solved.probe(&position.play(mv));
            match value.expect("captures and promotions lead to solved materials") {
                GameValue::Loss => return WON,
                GameValue::Draw => can_draw = true,
                GameValue::Win => {}
            }
        }
        match (can_draw, n_quiet) {
            (true, 0) => DRAWN,
            (true, _) => NOT_LOST,
            (false, n_quiet) => n_quiet,
        }
    }

    /// Returns true if a move does not change the material. White is to move.
    fn is_quiet(&self, position: &Position, mv: Move) -> bool {
        let is_king = position.all_kings().contains(mv.from);
        let is_promotion = !is_king && self.rules.promotes(Color::White, &mv);
        !mv.is_capture() && !is_promotion
    }

    fn is_unfinished(&self) -> bool {
        let mut words = self.wave.iter().chain(&self.next_wave);
        words.any(|word| word.load(Relaxed) != 0)
    }

    /// Propagates the current wave to the positions one move before it.
    fn spread_to(&self, before: &Analysis<'_>) {
        self.wave
            .par_chunks(WORDS)
            .enumerate()
            .for_each(|(chunk, words)| {
                for (offset, word) in words.iter().enumerate() {
                    let mut bits = word.load(Relaxed);
                    while bits != 0 {
                        let bit = bits.trailing_zeros() as usize;
                        self.spread_from((chunk * WORDS + offset) * 64 + bit, before);
                        bits &= bits - 1;
                    }
                }
            });
    }

    fn spread_from(&self, at: usize, before: &Analysis<'_>) {
        let is_lost = self.states[at].load(Relaxed) == LOST;
        let placement = self.index.unrank(at).turned();
        for_each_unmove(self.rules, &placement, |placement| {
            let at = before.index.rank(&placement);
            let at = at.expect("men move back to squares for men");
            if before.learn(at, is_lost) {
                mark(&before.next_wave, at);
            }
        });
    }

    /// Records that a move leads to a decided position; returns true if this decides the position.
    fn learn(&self, at: usize, leads_to_lost: bool) -> bool {
        let after = |state| match state {
            LOST | DRAWN | WON => None,
            _ if leads_to_lost => Some(WON),
            NOT_LOST => None,
            n_open => Some(n_open - 1),
        };
        let before = self.states[at].fetch_update(Relaxed, Relaxed, after);
        matches!(before.ok().and_then(after), Some(WON | LOST))
    }

    /// Advances to the next wave.
    fn advance(&mut self, distance: u16) {
        if self.wave.iter().any(|word| word.load(Relaxed) != 0) {
            self.longest = distance;
        }
        std::mem::swap(&mut self.wave, &mut self.next_wave);
        let used = self.next_wave.par_iter_mut();
        used.for_each(|word| *word.get_mut() = 0);
    }

    fn finish(self) -> Slice {
        let value = |at: usize| match self.states[at].load(Relaxed) {
            WON => GameValue::Win,
            LOST => GameValue::Loss,
            _ => GameValue::Draw,
        };
        let values = Values::collect(self.index.len(), value);
        Slice::new(self.material, self.index, values, self.longest)
    }
}

fn mark(wave: &[AtomicU64], at: usize) {
    wave[at / 64].fetch_or(1 << (at % 64), Relaxed);
}
