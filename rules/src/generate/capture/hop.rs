//! Captures of pieces that jump over an adjacent enemy and land right behind it.
//!
//! Where a first jump can be followed by a second is known for all pieces at once.

use super::behind::{jump_ends, squares_behind};
use super::{Catch, Field, Hunt};
use crate::ruleset::Ruleset;
use crate::{Bitboard, Lifting, Priority, Square};

impl<R: Ruleset, const WHITE: bool> Field<R, WHITE> {
    /// Where short jumps from `at` can land, with these victims gone.
    #[inline(always)]
    fn landings<const KING: bool>(&self, at: Square, victims: u64) -> Bitboard {
        let empty = match R::RULES.lifting {
            Lifting::AtOnce => self.empty | victims,
            Lifting::AfterMove => self.empty,
        };
        let reach = const { &jump_ends(R::RULES.board, Self::directions::<KING>()) };
        Bitboard(squares_behind(at, self.enemies & !victims) & reach[at.index()] & empty)
    }
}

impl<R: Ruleset, const WHITE: bool> Hunt<'_, R, WHITE> {
    /// Adds the captures of all pieces of a kind; `spots` are the squares from which that kind could jump.
    ///
    /// Where value decides, any two victims are worth more than one (4.5a), so captures that end with their
    /// first jump are looked at only if no piece can go on.
    #[inline(always)]
    pub(super) fn hop_all<const KING: bool>(&mut self, movers: u64, spots: u64) {
        let movers = movers & spots;
        if R::RULES.priority == Priority::None {
            self.hop_each::<KING>(movers, spots);
            return;
        }
        let onward = spots & self.field.empty;
        let long = movers & self.field.jump_squares::<KING>(onward);
        if long != 0 {
            self.hop_onward::<KING>(long, onward);
        } else {
            self.hop_once::<KING>(movers);
        }
    }

    /// Adds the captures of these pieces.
    #[inline(always)]
    fn hop_each<const KING: bool>(&mut self, movers: u64, spots: u64) {
        for from in Bitboard(movers) {
            self.lift(from);
            for landing in self.field.landings::<KING>(from, 0) {
                self.first_hop::<KING>(landing, spots);
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
                let catch = self.with(Catch::NOTHING, from.midpoint(landing));
                let further = self.field.landings::<KING>(landing, catch.victims);
                self.hop::<KING>(landing, catch, further);
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
                let catch = self.with(Catch::NOTHING, from.midpoint(landing));
                self.finish::<KING>(landing, catch);
            }
        }
    }

    /// Adds the captures that begin with a jump to `landing`.
    ///
    /// They go on if `landing` is one of `spots`, and not otherwise: back to where the piece came from
    /// leads only over the victim, and no second jump ends where the victim stood.
    #[inline(always)]
    fn first_hop<const KING: bool>(&mut self, landing: Square, spots: u64) {
        let catch = self.with(Catch::NOTHING, self.from.midpoint(landing));
        let goes_on = spots & landing.bit().0 != 0;
        if goes_on {
            let further = self.field.landings::<KING>(landing, catch.victims);
            self.hop::<KING>(landing, catch, further);
        }
        if R::RULES.may_stop_capture || !goes_on {
            self.finish::<KING>(landing, catch);
        }
    }

    /// Adds the captures that go on with a short jump from `at` to one of `landings`.
    fn hop<const KING: bool>(&mut self, at: Square, catch: Catch, landings: Bitboard) {
        for landing in landings {
            let catch = self.with(catch, at.midpoint(landing));
            let further = self.field.landings::<KING>(landing, catch.victims);
            if !further.is_empty() {
                self.hop::<KING>(landing, catch, further);
            }
            if R::RULES.may_stop_capture || further.is_empty() {
                self.finish::<KING>(landing, catch);
            }
        }
    }
}
