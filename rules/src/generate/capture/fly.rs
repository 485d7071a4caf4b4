//! Captures of kings that jump from a distance.

use std::collections::HashSet;

use super::{Catch, Field, Hunt, king_directions};
use crate::geometry::{nearest, open_ray, opposite, ray, shift};
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
}

impl<R: Ruleset, const WHITE: bool> Hunt<'_, R, WHITE> {
    /// A victim that still stands bars a king's way back.
    const WAY_BACK_IS_BARRED: bool = matches!(R::RULES.lifting, Lifting::AfterMove);
    /// Where a king lands anywhere, all its landing squares share the jumps straight on.
    const LANDS_ANYWHERE: bool = matches!(R::RULES.king_reach, KingReach::FarLandsAnywhere);

    /// Adds the captures of all kings.
    pub(super) fn fly_all(&mut self, kings: u64) {
        for from in Bitboard(kings) {
            self.lift(from);
            self.fly(from, None, Catch::NOTHING, &mut Memory::default());
            self.put_back();
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
        let blockers = ray(board, direction, at) & !self.field.empty_after(catch);
        if blockers == 0 {
            return false;
        }
        let victim = nearest(blockers, direction);
        if self.field.enemies & !catch.victims & victim.bit().0 == 0 {
            return false;
        }
        let catch = self.with(catch, victim);
        let empty = self.field.empty_after(catch);
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
}
