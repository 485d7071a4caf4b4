//! Captures by pieces that jump over an adjacent enemy and land directly beyond it.
//!
//! A bitboard test finds for all pieces at once which first jumps can be followed by a second.

use super::super::color;
use super::{CaptureSearch, Captured};
use crate::ruleset::Ruleset;
use crate::{Bitboard, Square};

impl<R: Ruleset, const WHITE: bool> CaptureSearch<'_, R, WHITE> {
    /// True if two victims always outrank one, and the test for all pieces at once is exact.
    const LONG_FIRST: bool = Self::RANKING.prefers_two && !R::RULES.crowning_changes_captures();

    /// Adds the captures of all pieces of a kind; `sources` are the squares from which that kind
    /// could jump. If two victims always outrank one (4.5a), captures of one jump are considered
    /// only when no piece can continue.
    #[inline(always)]
    pub(super) fn hop_all<const KING: bool>(&mut self, movers: u64, sources: u64) {
        let movers = movers & sources;
        if !Self::LONG_FIRST {
            self.hop_each::<KING>(movers, sources);
            return;
        }
        let onward = sources & self.field.empty;
        let long = movers & self.field.jump_squares::<KING>(onward);
        if long != 0 {
            self.hop_onward::<KING>(long, onward);
        } else {
            self.hop_once::<KING>(movers);
        }
    }

    /// Adds the captures of these pieces.
    #[inline(always)]
    fn hop_each<const KING: bool>(&mut self, movers: u64, sources: u64) {
        for from in Bitboard(movers) {
            self.lift(from);
            for landing in self.field.landings::<KING>(from, 0) {
                self.first_hop::<KING>(landing, sources);
            }
            self.put_back();
        }
    }

    /// Adds the captures of these pieces that continue after a first jump to one of `onward`.
    #[inline(always)]
    fn hop_onward<const KING: bool>(&mut self, movers: u64, onward: u64) {
        for from in Bitboard(movers) {
            self.lift(from);
            for landing in self.field.landings::<KING>(from, 0) & Bitboard(onward) {
                let captured = self.with(Captured::NOTHING, from.midpoint(landing));
                let further = self.field.landings::<KING>(landing, captured.victims);
                self.hop::<KING, KING>(landing, captured, further);
            }
            self.put_back();
        }
    }

    /// Adds the captures of a single victim by these pieces, which cannot continue.
    #[inline(always)]
    fn hop_once<const KING: bool>(&mut self, movers: u64) {
        for from in Bitboard(movers) {
            self.from = from;
            for landing in self.field.landings::<KING>(from, 0) {
                let captured = self.with(Captured::NOTHING, from.midpoint(landing));
                self.finish::<KING>(landing, captured);
            }
        }
    }

    /// Adds the captures that start with a jump to `landing`.
    ///
    /// They continue exactly if `landing` is in `sources`: the way back leads over the same victim,
    /// and no second jump ends on the victim's square.
    #[inline(always)]
    fn first_hop<const KING: bool>(&mut self, landing: Square, sources: u64) {
        let captured = self.with(Captured::NOTHING, self.from.midpoint(landing));
        if Self::is_crowned::<KING>(landing) {
            self.finish_crowned(landing, captured);
            return;
        }
        let goes_on = sources & landing.bit().0 != 0;
        if goes_on {
            let further = self.field.landings::<KING>(landing, captured.victims);
            self.hop::<KING, KING>(landing, captured, further);
        }
        if R::RULES.may_stop_capture || !goes_on {
            self.finish::<KING>(landing, captured);
        }
    }

    /// Adds the captures that continue with a short jump from `at` to one of `landings`.
    pub(super) fn hop<const KING: bool, const BY_KING: bool>(
        &mut self,
        at: Square,
        captured: Captured,
        landings: Bitboard,
    ) {
        for landing in landings {
            let captured = self.with(captured, at.midpoint(landing));
            if Self::is_crowned::<KING>(landing) {
                self.finish_crowned(landing, captured);
                continue;
            }
            let further = self.field.landings::<KING>(landing, captured.victims);
            if !further.is_empty() {
                self.hop::<KING, BY_KING>(landing, captured, further);
            }
            if R::RULES.may_stop_capture || further.is_empty() {
                self.finish::<BY_KING>(landing, captured);
            }
        }
    }

    /// True if a piece that lands here promotes and cannot continue as a man.
    #[inline(always)]
    fn is_crowned<const KING: bool>(landing: Square) -> bool {
        !KING
            && R::RULES.crowning_changes_captures()
            && R::RULES.crown_area(color(WHITE)).contains(landing)
    }
}
