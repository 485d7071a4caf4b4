//! Captures of kings that jump from a distance.

use std::collections::HashSet;

use super::{Catch, Field, Hunt, king_directions};
use crate::geometry::{nearest, nearest_bit, open_ray, ray, shift};
use crate::ruleset::Ruleset;
use crate::{Bitboard, KingReach, Lifting, Square};

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

impl<R: Ruleset, const WHITE: bool> Field<R, WHITE> {
    /// Squares that can be crossed and landed on after these captures.
    #[inline(always)]
    fn empty_after(&self, catch: Catch) -> u64 {
        match R::RULES.lifting {
            Lifting::AtOnce => self.empty | catch.victims,
            Lifting::AfterMove => self.empty,
        }
    }

    /// The ways on for a far-reaching king: directions in which it can jump from `at`, as a set of places
    /// in the list of [`king_directions`]. Each would be guessed wrong too often, so nothing branches here.
    #[inline(always)]
    fn ways_on(&self, at: Square, catch: Catch) -> u32 {
        let mut ways = 0;
        for (place, &direction) in const { king_directions(&R::RULES) }.iter().enumerate() {
            ways |= u32::from(self.goes_on_along(direction, at, catch)) << place;
        }
        ways
    }

    /// Whether a far-reaching king can jump from `at` in this direction.
    #[inline(always)]
    fn goes_on_along(&self, direction: usize, at: Square, catch: Catch) -> bool {
        let empty = self.empty_after(catch);
        let blockers = ray(R::RULES.board, direction, at) & !empty;
        let victim = nearest_bit(blockers, direction) & self.enemies & !catch.victims;
        shift(victim, direction) & empty != 0
    }
}

impl<R: Ruleset, const WHITE: bool> Hunt<'_, R, WHITE> {
    /// Where a king lands anywhere, all its landing squares share the jumps straight on.
    const LANDS_ANYWHERE: bool = matches!(R::RULES.king_reach, KingReach::FarLandsAnywhere);

    /// Adds the captures of all kings.
    pub(super) fn fly_all(&mut self, kings: u64) {
        for from in Bitboard(kings) {
            self.lift(from);
            self.fly(from, 0, Catch::NOTHING, &mut Memory::default());
            self.put_back();
        }
    }

    /// Adds the captures of a far-reaching king that go on with a jump from `at`, leaving out
    /// the ways in `vain`. Returns whether there are any.
    fn fly(&mut self, at: Square, vain: u32, catch: Catch, memory: &mut Memory) -> bool {
        let ways = self.field.ways_on(at, catch) & !vain;
        let mut rest = ways;
        while rest != 0 {
            self.fly_along(rest.trailing_zeros(), at, catch, memory);
            rest &= rest - 1;
        }
        ways != 0
    }

    /// Adds the captures that go on with a jump from `at` this way, where there is one. A second victim
    /// on the same line is looked for once, not from each landing square.
    fn fly_along(&mut self, way: u32, at: Square, catch: Catch, memory: &mut Memory) {
        let board = R::RULES.board;
        let direction = king_directions(&R::RULES)[way as usize];
        let blockers = ray(board, direction, at) & !self.field.empty_after(catch);
        let victim = nearest(blockers, direction);
        let catch = self.with(catch, victim);
        let empty = self.field.empty_after(catch);
        let landings = if Self::LANDS_ANYWHERE {
            open_ray(board, direction, victim, !empty)
        } else {
            shift(victim.bit().0, direction) & empty
        };
        let straight_on =
            Self::LANDS_ANYWHERE && self.field.goes_on_along(direction, victim, catch);
        if straight_on {
            self.fly_along(way, victim, catch, memory);
        }
        let vain = u32::from(Self::LANDS_ANYWHERE) << way;
        for landing in Bitboard(landings) {
            if Self::LANDS_ANYWHERE && memory.knows(landing, catch.victims) {
                continue;
            }
            let goes_on = self.fly(landing, vain, catch, memory) || straight_on;
            if R::RULES.may_stop_capture || !goes_on {
                self.finish::<true>(landing, catch);
            }
        }
    }
}
