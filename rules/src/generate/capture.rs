//! Captures: a depth-first walk over jumps.
//!
//! All that a piece needs to know in the middle of its capture is where it stands and whom it has
//! captured; what is empty and what can still be jumped follow from that.

use std::collections::HashSet;
use std::marker::PhantomData;

use super::color;
use crate::geometry::{ALL, DIAGONALS, FORWARD, nearest, open_ray, opposite, ray, shift};
use crate::ruleset::{Rules, Ruleset};
use crate::{Bitboard, KingReach, Lifting, Move, MoveList, Position, Priority, Square};

/// Adds the captures of the side to move.
#[inline(always)]
pub(super) fn captures<R: Ruleset, const WHITE: bool>(position: &Position, moves: &mut MoveList) {
    let us = color(WHITE);
    let mut hunt = Hunt::<R, WHITE> {
        moves,
        enemies: position.pieces(!us).0,
        enemy_kings: position.kings(!us).0,
        empty: R::RULES.board.mask().0 & !position.occupied().0,
        from: Square::from_index(0),
        best: 0,
        rules: PhantomData,
    };
    let kings = position.kings(us).0;
    if kings != 0 {
        hunt.kings(kings);
    }
    for from in hunt.jumpers::<false>(position.men(us).0) {
        hunt.hop_from::<false>(from);
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

/// What a piece has captured so far.
#[derive(Clone, Copy)]
struct Catch {
    victims: u64,
    /// Their value by [`Priority::ValueThenKing`]; 0 where nothing is preferred.
    value: u32,
}

impl Catch {
    const NOTHING: Catch = Catch {
        victims: 0,
        value: 0,
    };
}

/// Where the walk of a far-reaching king has been, kept once it gets long. No position of a real game
/// comes near, but a king among twenty men that stand apart has millions of paths over few squares.
#[derive(Default)]
struct Memory {
    n_landings: u32,
    /// Victims and square.
    explored: Option<HashSet<(u64, Square)>>,
}

impl Memory {
    const LONG_WALK: u32 = 10_000;

    /// Whether this walk was here with the same victims, as far as it remembers.
    #[inline(always)]
    fn knows(&mut self, at: Square, victims: u64) -> bool {
        self.n_landings += 1;
        self.n_landings > Memory::LONG_WALK
            && !self.explored.get_or_insert_default().insert((victims, at))
    }
}

/// The search for the captures of one piece after the other.
struct Hunt<'a, R, const WHITE: bool> {
    moves: &'a mut MoveList,
    enemies: u64,
    enemy_kings: u64,
    /// The empty squares before the move; the start square of the hunting piece is one of them.
    empty: u64,
    from: Square,
    /// The highest priority of the captures in `moves`.
    best: u32,
    rules: PhantomData<R>,
}

impl<R: Ruleset, const WHITE: bool> Hunt<'_, R, WHITE> {
    /// A victim that still stands bars a king's way back.
    const WAY_BACK_IS_BARRED: bool = matches!(R::RULES.lifting, Lifting::AfterMove);
    /// Where a king lands anywhere, all its landing squares share the jumps straight on.
    const LANDS_ANYWHERE: bool = matches!(R::RULES.king_reach, KingReach::FarLandsAnywhere);

    fn kings(&mut self, kings: u64) {
        if R::RULES.king_reach == KingReach::Short {
            for from in self.jumpers::<true>(kings) {
                self.hop_from::<true>(from);
            }
        } else {
            for from in Bitboard(kings) {
                self.lift(from);
                self.fly(from, None, Catch::NOTHING, &mut Memory::default());
                self.put_back();
            }
        }
    }

    /// Adds the captures of a piece that jumps short.
    #[inline(always)]
    fn hop_from<const KING: bool>(&mut self, from: Square) {
        self.lift(from);
        let landings = self.landings::<KING>(from, Catch::NOTHING);
        self.hop::<KING>(from, Catch::NOTHING, landings);
        self.put_back();
    }

    /// Makes a piece the hunting one: its square is empty while it moves.
    #[inline(always)]
    fn lift(&mut self, from: Square) {
        self.from = from;
        self.empty |= from.bit().0;
    }

    #[inline(always)]
    fn put_back(&mut self) {
        self.empty ^= self.from.bit().0;
    }

    /// Squares that can be crossed and landed on after these captures.
    #[inline(always)]
    fn empty_after(&self, catch: Catch) -> u64 {
        match R::RULES.lifting {
            Lifting::AtOnce => self.empty | catch.victims,
            Lifting::AfterMove => self.empty,
        }
    }

    /// The catch with one more victim.
    #[inline(always)]
    fn with(&self, catch: Catch, victim: Square) -> Catch {
        let victim = victim.bit().0;
        let value = match R::RULES.priority {
            Priority::None => 0,
            Priority::ValueThenKing if self.enemy_kings & victim != 0 => 199,
            Priority::ValueThenKing => 100,
        };
        Catch {
            victims: catch.victims | victim,
            value: catch.value + value,
        }
    }

    /// Where pieces that jump short jump.
    #[inline(always)]
    const fn directions<const KING: bool>() -> &'static [usize] {
        if KING {
            king_directions(&R::RULES)
        } else {
            man_directions(&R::RULES, WHITE)
        }
    }

    /// Those of `movers` that stand beside an enemy with an empty square behind it.
    #[inline(always)]
    fn jumpers<const KING: bool>(&self, movers: u64) -> Bitboard {
        let mut found = 0;
        for &direction in const { Self::directions::<KING>() } {
            let back = opposite(direction);
            found |= shift(shift(self.empty, back) & self.enemies, back);
        }
        Bitboard(found & movers)
    }

    /// Where short jumps from `at` can land.
    #[inline(always)]
    fn landings<const KING: bool>(&self, at: Square, catch: Catch) -> Bitboard {
        let (empty, enemies) = (self.empty_after(catch), self.enemies & !catch.victims);
        let mut landings = 0;
        for &direction in const { Self::directions::<KING>() } {
            landings |= shift(shift(at.bit().0, direction) & enemies, direction);
        }
        Bitboard(landings & empty)
    }

    /// Adds the captures that go on with a short jump from `at` to one of `landings`.
    fn hop<const KING: bool>(&mut self, at: Square, catch: Catch, landings: Bitboard) {
        for landing in landings {
            let catch = self.with(catch, at.midpoint(landing));
            let further = self.landings::<KING>(landing, catch);
            if !further.is_empty() {
                self.hop::<KING>(landing, catch, further);
            }
            if R::RULES.may_stop_capture || further.is_empty() {
                self.finish::<KING>(landing, catch);
            }
        }
    }

    /// Adds the captures of a far-reaching king that go on with a jump from `at`, where it arrived
    /// in direction `came`. Returns whether there are any.
    fn fly(&mut self, at: Square, came: Option<usize>, catch: Catch, memory: &mut Memory) -> bool {
        let mut goes_on = false;
        for &direction in const { king_directions(&R::RULES) } {
            let is_vain = came.is_some_and(|came| {
                Self::LANDS_ANYWHERE && direction == came
                    || Self::WAY_BACK_IS_BARRED && direction == opposite(came)
            });
            goes_on |= !is_vain && self.fly_along(direction, at, catch, memory);
        }
        goes_on
    }

    /// Adds the captures that go on with a jump from `at` in this direction. Returns whether there
    /// are any. A second victim on the same line is looked for once, not from each landing square.
    fn fly_along(
        &mut self,
        direction: usize,
        at: Square,
        catch: Catch,
        memory: &mut Memory,
    ) -> bool {
        let board = R::RULES.board;
        let blockers = ray(board, direction, at) & !self.empty_after(catch);
        if blockers == 0 {
            return false;
        }
        let victim = nearest(blockers, direction);
        if self.enemies & !catch.victims & victim.bit().0 == 0 {
            return false;
        }
        let catch = self.with(catch, victim);
        let empty = self.empty_after(catch);
        let landings = if Self::LANDS_ANYWHERE {
            open_ray(board, direction, victim, !empty)
        } else {
            shift(victim.bit().0, direction) & empty
        };
        if landings == 0 {
            return false;
        }
        let straight_on = Self::LANDS_ANYWHERE && self.fly_along(direction, victim, catch, memory);
        for landing in Bitboard(landings) {
            if Self::LANDS_ANYWHERE && memory.knows(landing, catch.victims) {
                continue;
            }
            let goes_on = self.fly(landing, Some(direction), catch, memory) || straight_on;
            if R::RULES.may_stop_capture || !goes_on {
                self.finish::<true>(landing, catch);
            }
        }
        true
    }

    /// Adds a finished capture, unless the list has better ones or this very move.
    fn finish<const KING: bool>(&mut self, to: Square, catch: Catch) {
        if R::RULES.priority == Priority::ValueThenKing {
            let priority = 2 * catch.value + u32::from(KING);
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
            captured: Bitboard(catch.victims),
        };
        if !is_ambiguous(catch.victims) || !self.is_known(mv) {
            self.moves.push(mv);
        }
    }

    /// Whether this capture of the hunting piece is in the list.
    fn is_known(&self, mv: Move) -> bool {
        self.moves
            .iter()
            .rev()
            .take_while(|known| known.from == mv.from)
            .any(|known| *known == mv)
    }
}

/// Whether there may be several ways to take these victims between the same two squares: if they
/// are three or more. Two jumps that can be made in either order would need two different lines
/// that meet twice, and a line that holds both victims is walked only once.
fn is_ambiguous(victims: u64) -> bool {
    let without_one = victims & (victims - 1);
    without_one & without_one.wrapping_sub(1) != 0
}
