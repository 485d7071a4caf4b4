//! Captures of pieces that jump over an adjacent enemy and land right behind it.
//!
//! Where a first jump can be followed by a second is known for all pieces at once.

use super::{Catch, Field, Hunt};
use crate::geometry::{opposite, shift};
use crate::ruleset::Ruleset;
use crate::{Bitboard, Board, Lifting, Square};

impl<R: Ruleset, const WHITE: bool> Field<R, WHITE> {
    /// Where short jumps from `at` can land, with these victims gone.
    #[inline(always)]
    fn landings<const KING: bool>(&self, at: Square, victims: u64) -> Bitboard {
        let empty = match R::RULES.lifting {
            Lifting::AtOnce => self.empty | victims,
            Lifting::AfterMove => self.empty,
        };
        let near = const { &neighbours(R::RULES.board, Self::directions::<KING>()) };
        let near = Bitboard(near[at.index()] & self.enemies & !victims);
        let beyond = near.iter().map(|enemy| enemy.beyond(at));
        Bitboard(beyond.collect::<Bitboard>().0 & empty)
    }
}

impl<R: Ruleset, const WHITE: bool> Hunt<'_, R, WHITE> {
    /// Adds the captures of all pieces of a kind; `spots` are the squares from which that kind could jump.
    #[inline(always)]
    pub(super) fn hop_all<const KING: bool>(&mut self, movers: u64, spots: u64) {
        for from in Bitboard(movers & spots) {
            self.lift(from);
            for landing in self.field.landings::<KING>(from, 0) {
                self.first_hop::<KING>(landing, spots);
            }
            self.put_back();
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

/// [bit index] the neighbours of a square in these directions, as far as the board goes on behind them.
const fn neighbours(board: Board, directions: &[usize]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut token = 0;
    while token < board.n_squares() {
        let square = board.token_square(token);
        let mut i = 0;
        while i < directions.len() {
            let near = shift(square.bit().0, directions[i]) & board.mask().0;
            let beyond = shift(near, directions[i]) & board.mask().0;
            table[square.index()] |= shift(beyond, opposite(directions[i]));
            i += 1;
        }
        token += 1;
    }
    table
}
