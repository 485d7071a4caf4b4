//! Placements of pieces, as seen by the side to move.

use rules::{Bitboard, Color, Position, Setup, Variant};

use crate::rest::KingRest;
use crate::{Army, Material};

/// A position without its counter of plies without progress, with sides in the order own, enemy.
/// The board is rotated so that the side to move plays up, as White does: rotating and swapping
/// colors maps every variant to itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Placement {
    pub(crate) men: [Bitboard; 2],
    pub(crate) kings: [Bitboard; 2],
    pub(crate) rests: [KingRest; 2],
}

impl Placement {
    #[inline]
    pub(crate) fn of(position: &Position) -> Placement {
        let us = position.turn();
        let placement = Placement {
            men: [position.men(us), position.men(!us)],
            kings: [position.kings(us), position.kings(!us)],
            rests: [position.king_rest(us), position.king_rest(!us)],
        };
        match us {
            Color::White => placement,
            Color::Black => Placement {
                men: placement.men.map(Bitboard::turned),
                kings: placement.kings.map(Bitboard::turned),
                rests: placement.rests.map(turned_rest),
            },
        }
    }

    /// The position with White to move, with the draw counter at 0.
    pub(crate) fn position(&self, variant: Variant) -> Position {
        let [[own_men, enemy_men], [own_kings, enemy_kings]] = [self.men, self.kings];
        let [own_rest, enemy_rest] = self.rests;
        let setup = Setup {
            men: [enemy_men, own_men],
            kings: [enemy_kings, own_kings],
            king_rests: [enemy_rest, own_rest],
            ..Setup::empty(Color::White)
        };
        Position::new(variant, &setup).expect("an index has only permitted squares")
    }

    /// The same placement as seen by the other side.
    pub(crate) fn turned(&self) -> Placement {
        let turned = |[own, enemy]: [Bitboard; 2]| [enemy.turned(), own.turned()];
        Placement {
            men: turned(self.men),
            kings: turned(self.kings),
            rests: [self.rests[1], self.rests[0]].map(turned_rest),
        }
    }

    #[inline]
    pub(crate) fn occupied(&self) -> Bitboard {
        self.men[0] | self.men[1] | self.kings[0] | self.kings[1]
    }

    #[inline]
    pub(crate) fn material(&self) -> Material {
        let army = |side: usize| Army {
            men: self.men[side].count() as usize,
            kings: self.kings[side].count() as usize,
        };
        Material {
            own: army(0),
            enemy: army(1),
        }
    }
}

fn turned_rest(rest: KingRest) -> KingRest {
    rest.map(|(king, count)| (king.turned(), count))
}
