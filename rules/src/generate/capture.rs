//! Captures: a depth-first walk over jumps.

use super::color;
use crate::geometry::{ALL, DIAGONALS, FORWARD, nearest, open_ray, opposite, ray, shift};
use crate::ruleset::{Rules, Ruleset};
use crate::{Bitboard, KingReach, Lifting, Move, MoveList, Position, Priority, Square};

/// Fewer victims than this can be taken between two squares in only one way: two jumps that could
/// be made in either order would need two lines that meet in two points. (One line that holds
/// several victims is walked once, see [`Hunt::fly_on`].)
const FEWEST_AMBIGUOUS_VICTIMS: u32 = 3;

/// Adds the captures of the side to move.
pub(super) fn captures<R: Ruleset, const WHITE: bool>(position: &Position, moves: &mut MoveList) {
    let us = color(WHITE);
    let board = Board {
        empty: R::RULES.board.mask().0 & !position.occupied().0,
        enemies: position.pieces(!us).0,
        captured: 0,
        value: 0,
        n_captured: 0,
    };
    let mut hunt = Hunt::<R, WHITE> {
        moves,
        from: Square::from_index(0),
        enemy_kings: position.kings(!us).0,
        best: 0,
        rules: std::marker::PhantomData,
    };
    let men = position.men(us).0;
    let men_that_jump = jumpers(man_directions(&R::RULES, WHITE), men, &board);
    let kings = position.kings(us).0;
    if kings != 0 {
        let far = !matches!(R::RULES.king_reach, KingReach::Short);
        let candidates = if far {
            kings
        } else {
            jumpers(king_directions(&R::RULES), kings, &board)
        };
        for from in Bitboard(candidates) {
            hunt.from = from;
            if far {
                hunt.fly(from, None, board.vacated(from));
            } else {
                hunt.hop::<true>(from.bit().0, board.vacated(from));
            }
        }
    }
    for from in Bitboard(men_that_jump) {
        hunt.from = from;
        hunt.hop::<false>(from.bit().0, board.vacated(from));
    }
}

/// The directions in which a man jumps.
const fn man_directions(rules: &Rules, white: bool) -> &'static [usize] {
    if rules.men_jump_all_ways {
        &ALL
    } else {
        &FORWARD[color(white).index()]
    }
}

/// The directions in which a king jumps.
const fn king_directions(rules: &Rules) -> &'static [usize] {
    if rules.kings_jump_straight {
        &ALL
    } else {
        &DIAGONALS
    }
}

/// Those of `movers` that stand beside an enemy with an empty square behind it.
#[inline(always)]
fn jumpers(directions: &[usize], movers: u64, board: &Board) -> u64 {
    let mut found = 0;
    for &direction in directions {
        let back = opposite(direction);
        found |= shift(shift(board.empty, back) & board.enemies, back);
    }
    found & movers
}

/// What a piece sees in the middle of its capture.
#[derive(Clone, Copy)]
struct Board {
    /// Squares that can be crossed and landed on.
    empty: u64,
    /// Enemies not yet jumped.
    enemies: u64,
    captured: u64,
    /// Value of the captured pieces, see [`Priority::ValueThenKing`].
    value: u32,
    n_captured: u32,
}

impl Board {
    /// The board without the piece that starts from `from`.
    fn vacated(mut self, from: Square) -> Board {
        self.empty |= from.bit().0;
        self
    }
}

/// The captures of one piece after the other.
struct Hunt<'a, R, const WHITE: bool> {
    moves: &'a mut MoveList,
    from: Square,
    enemy_kings: u64,
    /// Priority of the captures in `moves`: twice their value, plus one when a king makes them.
    best: u32,
    rules: std::marker::PhantomData<R>,
}

impl<R: Ruleset, const WHITE: bool> Hunt<'_, R, WHITE> {
    /// Adds the captures that go on with a short jump from `at`. Returns whether there are any.
    fn hop<const KING: bool>(&mut self, at: u64, board: Board) -> bool {
        let directions = const {
            if KING {
                king_directions(&R::RULES)
            } else {
                man_directions(&R::RULES, WHITE)
            }
        };
        let mut jumped = false;
        for &direction in directions {
            let victim = shift(at, direction) & board.enemies;
            let landing = shift(victim, direction) & board.empty;
            if landing != 0 {
                jumped = true;
                let next = self.take(victim, board);
                let goes_on = self.hop::<KING>(landing, next);
                if R::RULES.may_stop_capture || !goes_on {
                    self.finish::<KING>(Square::lowest(landing), &next);
                }
            }
        }
        jumped
    }

    /// Adds the captures of a far-reaching king that go on with a jump from `at`, where it arrived
    /// in direction `came`. Returns whether there are any.
    fn fly(&mut self, at: Square, came: Option<usize>, board: Board) -> bool {
        let mut jumped = false;
        for &direction in const { king_directions(&R::RULES) } {
            if let Some(came) = came
                && (R::SKIPS_STRAIGHT_ON && direction == came
                    || R::SKIPS_BACK && direction == opposite(came))
            {
                continue;
            }
            jumped |= self.fly_on(at, direction, board);
        }
        jumped
    }

    /// Adds the captures that go on with a jump from `at` in this direction. Returns whether there
    /// are any.
    ///
    /// A second victim on the same line is looked for once, not from each landing square before it.
    fn fly_on(&mut self, at: Square, direction: usize, board: Board) -> bool {
        let blockers = ray(R::RULES.board, direction, at) & !board.empty;
        if blockers == 0 {
            return false;
        }
        let victim = nearest(blockers, direction);
        if board.enemies & victim.bit().0 == 0 {
            return false;
        }
        let landings = match R::RULES.king_reach {
            KingReach::FarLandsAnywhere => {
                open_ray(R::RULES.board, direction, victim, !board.empty)
            }
            _ => shift(victim.bit().0, direction) & board.empty,
        };
        if landings == 0 {
            return false;
        }
        let next = self.take(victim.bit().0, board);
        let straight_on = R::SKIPS_STRAIGHT_ON && self.fly_on(victim, direction, next);
        for landing in Bitboard(landings) {
            let goes_on = self.fly(landing, Some(direction), next) || straight_on;
            if R::RULES.may_stop_capture || !goes_on {
                self.finish::<true>(landing, &next);
            }
        }
        true
    }

    /// The board after one more victim.
    #[inline(always)]
    fn take(&self, victim: u64, mut board: Board) -> Board {
        board.enemies ^= victim;
        board.captured |= victim;
        board.n_captured += 1;
        if R::RULES.lifting == Lifting::AtOnce {
            board.empty |= victim;
        }
        if R::RULES.priority == Priority::ValueThenKing {
            board.value += if self.enemy_kings & victim != 0 {
                199
            } else {
                100
            };
        }
        board
    }

    /// Adds a finished capture, unless the list has better ones or this very move.
    fn finish<const KING: bool>(&mut self, to: Square, board: &Board) {
        if R::RULES.priority == Priority::ValueThenKing {
            let priority = 2 * board.value + u32::from(KING);
            if priority < self.best {
                return;
            }
            if priority > self.best {
                self.best = priority;
                self.moves.clear();
            }
        }
        let mv = Move {
            from: self.from,
            to,
            captured: Bitboard(board.captured),
        };
        if board.n_captured >= FEWEST_AMBIGUOUS_VICTIMS {
            let same_piece = self
                .moves
                .iter()
                .rev()
                .take_while(|known| known.from == self.from);
            if same_piece.into_iter().any(|known| *known == mv) {
                return;
            }
        }
        self.moves.push(mv);
    }
}

/// What follows from the rules for the walk of a far-reaching king.
trait Flight: Ruleset {
    /// With a free choice of landing squares the jumps straight on are common to all of them.
    const SKIPS_STRAIGHT_ON: bool = matches!(Self::RULES.king_reach, KingReach::FarLandsAnywhere);
    /// A victim that still stands bars the way back.
    const SKIPS_BACK: bool = matches!(Self::RULES.lifting, Lifting::AfterMove);
}

impl<R: Ruleset> Flight for R {}
