//! Captures by flying pieces.

use std::collections::HashSet;

use super::super::kind::Kind;
use super::{CaptureSearch, Captured};
use crate::ruleset::Ruleset;
use crate::{Bitboard, Square};

/// The states visited by a flying piece, recorded once the search gets long. No position of a real
/// game comes close, but a king among twenty isolated men has millions of paths over few squares.
#[derive(Default)]
pub(super) struct Memory {
    n_landings: u32,
    /// The victims and the square of each visited state.
    explored: Option<HashSet<(u64, Square)>>,
}

impl Memory {
    const LONG_WALK: u32 = 10_000;

    /// True if the search was at this square with the same victims before, as far as recorded.
    #[inline(always)]
    fn knows(&mut self, at: Square, victims: u64) -> bool {
        self.n_landings += 1;
        self.n_landings > Memory::LONG_WALK
            && !self.explored.get_or_insert_default().insert((victims, at))
    }
}

impl<R: Ruleset, const WHITE: bool> CaptureSearch<'_, R, WHITE> {
    /// Adds the captures of all pieces of a kind.
    pub(super) fn fly_all<const KING: bool>(&mut self, movers: u64) {
        for from in Bitboard(movers) {
            self.lift(from);
            self.fly::<KING, KING>(from, 0, Captured::NOTHING, &mut Memory::default());
            self.put_back();
        }
    }

    /// Adds the captures of a flying piece that continue with a jump from `at`, except in the
    /// directions `vain`. Returns true if there are any.
    pub(super) fn fly<const KING: bool, const BY_KING: bool>(
        &mut self,
        at: Square,
        vain: u32,
        captured: Captured,
        memory: &mut Memory,
    ) -> bool {
        let ways = self.field.ways_on::<KING>(at, captured.victims) & !vain;
        let mut rest = ways;
        while rest != 0 {
            self.fly_along::<KING, BY_KING>(rest.trailing_zeros(), at, captured, memory);
            rest &= rest - 1;
        }
        ways != 0
    }

    /// Adds the captures that continue with a jump from `at` in this direction, if any. If the
    /// piece can choose its landing square, all choices share the jumps straight ahead, so a second
    /// victim on the same line is searched for once instead of from each of them.
    fn fly_along<const KING: bool, const BY_KING: bool>(
        &mut self,
        way: u32,
        at: Square,
        captured: Captured,
        memory: &mut Memory,
    ) {
        let lands_anywhere = Kind::<R, WHITE, KING>::LANDS_ANYWHERE;
        let direction = Kind::<R, WHITE, KING>::JUMPS[way as usize];
        let victim = self.field.victim_along(direction, at, captured.victims);
        let captured = self.with(captured, victim);
        let landings = self
            .field
            .landings_behind::<KING>(direction, victim, captured.victims);
        let straight_on = lands_anywhere
            && self
                .field
                .goes_on_along::<KING>(direction, victim, captured.victims);
        if straight_on {
            self.fly_along::<KING, BY_KING>(way, victim, captured, memory);
        }
        let vain = u32::from(lands_anywhere) << way;
        let must_go_on = self.field.must_go_on::<KING>(landings, captured.victims);
        for landing in Bitboard(landings) {
            if lands_anywhere && memory.knows(landing, captured.victims) {
                continue;
            }
            let goes_on = self.fly::<KING, BY_KING>(landing, vain, captured, memory)
                || straight_on
                || must_go_on;
            if R::RULES.may_stop_capture || !goes_on {
                self.finish::<BY_KING>(landing, captured);
            }
        }
    }
}
