//! Capture generation: a test for all pieces at once, then a depth-first search over jumps.
//!
//! The state of a piece in the middle of a capture consists of its square and its captured pieces;
//! the empty squares and the remaining enemies follow from these.

mod behind;
mod field;
mod fly;
mod hop;
mod path;

use self::field::{Captured, Field};
use self::fly::Memory;
pub(crate) use self::path::paths;
use super::color;
use super::kind::Kind;
use crate::priority::Ranking;
use crate::ruleset::Ruleset;
use crate::{Bitboard, Move, MoveList, Position, Promotion, Square};

/// The squares from which a piece could jump, occupied or not.
#[derive(Clone, Copy)]
pub(super) struct Sources {
    men: u64,
    kings: u64,
}

impl Sources {
    /// The squares, if there may be captures at all. For short-ranged pieces there are captures
    /// then; flying pieces may jump from anywhere.
    #[inline(always)]
    pub(super) fn of<R: Ruleset, const WHITE: bool>(position: &Position) -> Option<Sources> {
        let us = color(WHITE);
        let (men, kings) = (position.men(us).0, position.kings(us).0);
        let field = Field::<R, WHITE>::new(position);
        let sources = Sources {
            men: if Kind::<R, WHITE, false>::IS_SHORT {
                field.jump_squares::<false>(field.empty)
            } else {
                u64::MAX
            },
            kings: match Kind::<R, WHITE, true>::IS_SHORT {
                _ if kings == 0 => 0,
                true => field.jump_squares::<true>(field.empty),
                false => u64::MAX,
            },
        };
        (men & sources.men | kings & sources.kings != 0).then_some(sources)
    }
}

/// Adds the captures of the side to move.
#[inline(always)]
pub(super) fn captures<R: Ruleset, const WHITE: bool>(
    position: &Position,
    sources: Sources,
    moves: &mut MoveList,
) {
    let us = color(WHITE);
    let mut search = CaptureSearch::<R, WHITE> {
        field: Field::new(position),
        moves,
        from: Square::from_index(0),
        best: 0,
    };
    let kings = position.kings(us).0;
    if Kind::<R, WHITE, true>::IS_SHORT {
        search.hop_all::<true>(kings, sources.kings);
    } else {
        search.fly_all::<true>(kings);
    }
    let men = position.men(us).0;
    if Kind::<R, WHITE, false>::IS_SHORT {
        search.hop_all::<false>(men, sources.men);
    } else {
        search.fly_all::<false>(men);
    }
}

/// The search for captures, one piece at a time.
///
/// Its functions are compiled for the current kind of the piece (`KING`) and for its kind at the
/// start of the move (`BY_KING`); they differ once a man has promoted in passing.
struct CaptureSearch<'a, R, const WHITE: bool> {
    field: Field<R, WHITE>,
    moves: &'a mut MoveList,
    from: Square,
    /// The highest rank among `moves`.
    best: u32,
}

impl<R: Ruleset, const WHITE: bool> CaptureSearch<'_, R, WHITE> {
    const RANKING: Ranking = Ranking::new(R::RULES.priority);
    /// True if any capture may be chosen.
    const IS_FREE: bool = R::RULES.priority.is_empty();

    /// Sets the capturing piece; its square is empty while it moves.
    #[inline(always)]
    fn lift(&mut self, from: Square) {
        self.from = from;
        self.field.empty |= from.bit().0;
    }

    #[inline(always)]
    fn put_back(&mut self) {
        self.field.empty ^= self.from.bit().0;
    }

    /// Adds a captured piece.
    #[inline(always)]
    fn with(&self, captured: Captured, victim: Square) -> Captured {
        let victim = victim.bit().0;
        let gain = if Self::IS_FREE {
            0
        } else if self.field.enemy_kings & victim != 0 {
            Self::RANKING.king + Self::RANKING.king_after(captured.victims)
        } else {
            Self::RANKING.man
        };
        Captured {
            victims: captured.victims | victim,
            rank: captured.rank + gain,
        }
    }

    /// True if a capture of this rank is at least as good as those found so far, which are removed
    /// if they are worse.
    #[inline(always)]
    fn is_wanted<const BY_KING: bool>(&mut self, rank: u32) -> bool {
        if Self::IS_FREE {
            return true;
        }
        let rank = rank + if BY_KING { Self::RANKING.by_king } else { 0 };
        if rank > self.best {
            self.best = rank;
            self.moves.clear();
        }
        rank == self.best
    }

    /// Adds a complete capture, unless a better one or the same move is already in the list.
    fn finish<const BY_KING: bool>(&mut self, to: Square, captured: Captured) {
        if !self.is_wanted::<BY_KING>(captured.rank) {
            return;
        }
        let mv = Move {
            from: self.from,
            to,
            captured: Bitboard(captured.victims),
        };
        if !is_ambiguous(captured.victims) || !self.is_known(mv) {
            self.moves.push(mv);
        }
    }

    /// True if this capture of the current piece is already in the list.
    fn is_known(&self, mv: Move) -> bool {
        self.moves
            .iter()
            .rev()
            .take_while(|known| known.from == mv.from)
            .any(|known| *known == mv)
    }

    /// Adds the captures of a man that has jumped to a promotion square, if promotion matters
    /// there.
    #[inline(never)]
    fn finish_crowned(&mut self, at: Square, captured: Captured) {
        let goes_on = match R::RULES.promotion {
            Promotion::AtEnd | Promotion::EndsMove => false,
            Promotion::InPassing if Kind::<R, WHITE, true>::IS_SHORT => {
                let further = self.field.landings::<true>(at, captured.victims);
                self.hop::<true, false>(at, captured, further);
                !further.is_empty()
            }
            Promotion::InPassing => {
                self.fly::<true, false>(at, 0, captured, &mut Memory::default())
            }
        };
        if R::RULES.may_stop_capture || !goes_on {
            self.finish::<false>(at, captured);
        }
    }
}

/// True if there may be several ways to capture these pieces between the same two squares, which
/// requires at least three. With two, jumps in either order would need two different lines that
/// intersect twice, and a line that contains both is followed only once.
fn is_ambiguous(victims: u64) -> bool {
    let without_one = victims & (victims - 1);
    without_one & without_one.wrapping_sub(1) != 0
}
