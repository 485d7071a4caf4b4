//! Captures of pieces that jump over an adjacent enemy and land right behind it.
//!
//! Where a first jump can be followed by a second is known for all pieces at once.

use super::super::color;
use super::{CaptureSearch, Captured};
use crate::ruleset::Ruleset;
use crate::{Bitboard, Square};

impl<R: Ruleset, const WHITE: bool> CaptureSearch<'_, R, WHITE> {
    /// Whether captures of two victims rank higher than those of one, and a look at all pieces at once
    /// shows where there are some.
    const LONG_FIRST: bool = Self::RANKING.prefers_two && !R::RULES.crowning_changes_captures();

    /// Adds the captures of all pieces of a kind; `sources` are the squares from which that kind could
    /// jump. Captures that end with their first jump are looked at only if no piece can go on, where
    /// any two victims are worth more than one (4.5a).
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

    /// Adds the captures of these pieces that go on after a first jump to one of `onward`.
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

    /// Adds the captures of one victim by these pieces, none of which can go on.
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

    /// Adds the captures that begin with a jump to `landing`.
    ///
    /// They go on if `landing` is one of `sources`, and not otherwise: back to where the piece came from
    /// leads only over the victim, and no second jump ends where the victim stood.
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

    /// Adds the captures that go on with a short jump from `at` to one of `landings`.
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

    /// Whether a piece that lands here is crowned and cannot go on as it came.
    #[inline(always)]
    fn is_crowned<const KING: bool>(landing: Square) -> bool {
        !KING
            && R::RULES.crowning_changes_captures()
            && R::RULES.crown_area(color(WHITE)).contains(landing)
    }
}
