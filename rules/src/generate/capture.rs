//! Captures: one test for all pieces at once, then a depth-first walk over jumps.
//!
//! All that a piece needs to know in the middle of its capture is where it stands and whom it has
//! captured; what is empty and what can still be jumped follow from that.

mod behind;
mod fly;
mod hop;

use std::marker::PhantomData;

use super::color;
use crate::geometry::{ALL, DIAGONALS, FORWARD, opposite, shift};
use crate::ruleset::{Rules, Ruleset};
use crate::{Bitboard, KingReach, Move, MoveList, Position, Priority, Square};

/// The squares from which pieces could jump, whether they stand there or not.
#[derive(Clone, Copy)]
pub(super) struct Spots {
    men: u64,
    /// All squares where kings jump from a distance.
    kings: u64,
}

impl Spots {
    /// The squares, if there may be captures at all. Where pieces jump short, there are some then.
    #[inline(always)]
    pub(super) fn of<R: Ruleset, const WHITE: bool>(position: &Position) -> Option<Spots> {
        let us = color(WHITE);
        let (men, kings) = (position.men(us).0, position.kings(us).0);
        let field = Field::<R, WHITE>::new(position);
        let spots = Spots {
            men: field.jump_squares::<false>(field.empty),
            kings: match R::RULES.king_reach {
                _ if kings == 0 => 0,
                KingReach::Short => field.jump_squares::<true>(field.empty),
                KingReach::FarLandsNext | KingReach::FarLandsAnywhere => u64::MAX,
            },
        };
        (men & spots.men | kings & spots.kings != 0).then_some(spots)
    }
}

/// Adds the captures of the side to move.
#[inline(always)]
pub(super) fn captures<R: Ruleset, const WHITE: bool>(
    position: &Position,
    spots: Spots,
    moves: &mut MoveList,
) {
    let us = color(WHITE);
    let mut hunt = Hunt::<R, WHITE> {
        field: Field::new(position),
        moves,
        from: Square::from_index(0),
        best: 0,
    };
    let kings = position.kings(us).0;
    match R::RULES.king_reach {
        KingReach::Short => hunt.hop_all::<true>(kings, spots.kings),
        KingReach::FarLandsNext | KingReach::FarLandsAnywhere => hunt.fly_all(kings),
    }
    hunt.hop_all::<false>(position.men(us).0, spots.men);
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

/// What pieces of one side meet.
struct Field<R, const WHITE: bool> {
    enemies: u64,
    enemy_kings: u64,
    /// The empty squares before the move; the start square of the hunting piece is one of them.
    empty: u64,
    rules: PhantomData<R>,
}

impl<R: Ruleset, const WHITE: bool> Field<R, WHITE> {
    #[inline(always)]
    fn new(position: &Position) -> Self {
        let them = color(!WHITE);
        Field {
            enemies: position.pieces(them).0,
            enemy_kings: position.kings(them).0,
            empty: R::RULES.board.mask().0 & !position.occupied().0,
            rules: PhantomData,
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

    /// The squares from which a piece could jump short, over an enemy, to one of these empty squares.
    #[inline(always)]
    fn jump_squares<const KING: bool>(&self, landings: u64) -> u64 {
        let mut found = 0;
        for &direction in const { Self::directions::<KING>() } {
            let back = opposite(direction);
            found |= shift(shift(landings, back) & self.enemies, back);
        }
        found
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

/// The search for the captures of one piece after the other.
struct Hunt<'a, R, const WHITE: bool> {
    field: Field<R, WHITE>,
    moves: &'a mut MoveList,
    from: Square,
    /// The highest priority of the captures in `moves`.
    best: u32,
}

impl<R: Ruleset, const WHITE: bool> Hunt<'_, R, WHITE> {
    /// Makes a piece the hunting one: its square is empty while it moves.
    #[inline(always)]
    fn lift(&mut self, from: Square) {
        self.from = from;
        self.field.empty |= from.bit().0;
    }

    #[inline(always)]
    fn put_back(&mut self) {
        self.field.empty ^= self.from.bit().0;
    }

    /// The catch with one more victim.
    #[inline(always)]
    fn with(&self, catch: Catch, victim: Square) -> Catch {
        let victim = victim.bit().0;
        let value = match R::RULES.priority {
            Priority::None => 0,
            Priority::ValueThenKing if self.field.enemy_kings & victim != 0 => 199,
            Priority::ValueThenKing => 100,
        };
        Catch {
            victims: catch.victims | victim,
            value: catch.value + value,
        }
    }

    /// Whether a capture of this value is as good as those in the list, which leave it if they are
    /// worse.
    #[inline(always)]
    fn is_wanted<const KING: bool>(&mut self, value: u32) -> bool {
        if R::RULES.priority == Priority::None {
            return true;
        }
        let priority = 2 * value + u32::from(KING);
        if priority > self.best {
            self.best = priority;
            self.moves.clear();
        }
        priority == self.best
    }

    /// Adds a finished capture, unless the list has better ones or this very move.
    fn finish<const KING: bool>(&mut self, to: Square, catch: Catch) {
        if !self.is_wanted::<KING>(catch.value) {
            return;
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
