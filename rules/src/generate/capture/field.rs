//! The rules of jumping: possible victims and landing squares.

use std::marker::PhantomData;

use super::super::color;
use super::super::kind::Kind;
use super::behind::{jump_ends, squares_behind};
use crate::geometry::{nearest, nearest_bit, open_ray, opposite, ray, shift};
use crate::priority::Ranking;
use crate::ruleset::Ruleset;
use crate::{Bitboard, Lifting, Position, Square};

/// The board as seen by pieces of one side.
pub(super) struct Field<R, const WHITE: bool> {
    enemies: u64,
    pub(super) enemy_kings: u64,
    /// The empty squares before the move, including the origin of the capturing piece.
    pub(super) empty: u64,
    rules: PhantomData<R>,
}

/// The pieces captured so far.
#[derive(Clone, Copy)]
pub(super) struct Captured {
    pub(super) victims: u64,
    /// Their contribution to the rank; 0 without a capture preference.
    pub(super) rank: u32,
}

impl Captured {
    pub(super) const NOTHING: Captured = Captured {
        victims: 0,
        rank: 0,
    };
}

impl<R: Ruleset, const WHITE: bool> Field<R, WHITE> {
    #[inline(always)]
    pub(super) fn new(position: &Position) -> Self {
        let them = color(!WHITE);
        Field {
            enemies: position.pieces(them).0,
            enemy_kings: position.kings(them).0,
            empty: R::RULES.board.mask().0 & !position.occupied().0,
            rules: PhantomData,
        }
    }

    /// The enemies that a piece may capture.
    #[inline(always)]
    fn prey<const KING: bool>(&self) -> u64 {
        if Kind::<R, WHITE, KING>::PIECE.captures_kings {
            self.enemies
        } else {
            self.enemies & !self.enemy_kings
        }
    }

    /// Squares that can be crossed or landed on after these captures.
    #[inline(always)]
    fn empty_after(&self, victims: u64) -> u64 {
        match R::RULES.lifting {
            Lifting::AtOnce => self.empty | victims,
            Lifting::AfterMove => self.empty,
        }
    }

    /// The squares from which a piece could make a short jump over an enemy to one of these empty
    /// squares.
    #[inline(always)]
    pub(super) fn jump_squares<const KING: bool>(&self, landings: u64) -> u64 {
        let mut found = 0;
        for &direction in Kind::<R, WHITE, KING>::JUMPS {
            let back = opposite(direction);
            found |= shift(shift(landings, back) & self.prey::<KING>(), back);
        }
        found
    }

    /// The landing squares of short jumps from `at`, with these victims removed. The victim of each
    /// is at the midpoint.
    #[inline(always)]
    pub(super) fn landings<const KING: bool>(&self, at: Square, victims: u64) -> Bitboard {
        let reach = const { &jump_ends(R::RULES.board, Kind::<R, WHITE, KING>::JUMPS) };
        let behind = squares_behind(at, self.prey::<KING>() & !victims);
        Bitboard(behind & reach[at.index()] & self.empty_after(victims))
    }

    /// The directions in which a flying piece can jump from `at`, as a set of indices into
    /// [`Kind::JUMPS`]. Branchless, because each direction is hard to predict.
    #[inline(always)]
    pub(super) fn ways_on<const KING: bool>(&self, at: Square, victims: u64) -> u32 {
        let mut ways = 0;
        for (place, &direction) in Kind::<R, WHITE, KING>::JUMPS.iter().enumerate() {
            ways |= u32::from(self.goes_on_along::<KING>(direction, at, victims)) << place;
        }
        ways
    }

    /// True if a flying piece can jump from `at` in this direction.
    #[inline(always)]
    pub(super) fn goes_on_along<const KING: bool>(
        &self,
        direction: usize,
        at: Square,
        victims: u64,
    ) -> bool {
        let empty = self.empty_after(victims);
        let blockers = ray(R::RULES.board, direction, at) & !empty;
        let victim = nearest_bit(blockers, direction) & self.prey::<KING>() & !victims;
        shift(victim, direction) & empty != 0
    }

    /// The victim of a flying piece in a direction in which it can jump.
    #[inline(always)]
    pub(super) fn victim_along(&self, direction: usize, at: Square, victims: u64) -> Square {
        let blockers = ray(R::RULES.board, direction, at) & !self.empty_after(victims);
        nearest(blockers, direction)
    }

    /// True if a flying piece may not end its capture on these squares beyond its last victim,
    /// because it could continue from one of them. If the number of victims decides, captures that
    /// end there are excluded anyway.
    #[inline(always)]
    pub(super) fn must_go_on<const KING: bool>(&self, landings: u64, victims: u64) -> bool {
        let may_end = R::RULES.may_stop_capture
            || const { Ranking::new(R::RULES.priority).prefers_two }
            || !Kind::<R, WHITE, KING>::LANDS_ANYWHERE;
        let goes_on = |landing| self.ways_on::<KING>(landing, victims) != 0;
        !may_end && Bitboard(landings).into_iter().any(goes_on)
    }

    /// The landing squares of a flying piece beyond a victim in `victims`.
    #[inline(always)]
    pub(super) fn landings_behind<const KING: bool>(
        &self,
        direction: usize,
        victim: Square,
        victims: u64,
    ) -> u64 {
        let empty = self.empty_after(victims);
        if Kind::<R, WHITE, KING>::LANDS_ANYWHERE {
            open_ray(R::RULES.board, direction, victim, !empty)
        } else {
            shift(victim.bit().0, direction) & empty
        }
    }
}
