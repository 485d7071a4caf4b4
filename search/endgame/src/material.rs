//! Material balances and the order in which they are solved.

use rules::Army;

use crate::{EndgameError, MAX_PIECES};

/// The armies with this many pieces, fewest men first.
pub(crate) fn armies(n_pieces: usize) -> impl Iterator<Item = Army> {
    (0..=n_pieces).map(move |men| Army {
        men,
        kings: n_pieces - men,
    })
}

/// The material of a position, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Material {
    /// The pieces of the side to move.
    pub own: Army,
    /// The pieces of the other side.
    pub enemy: Army,
}

impl Material {
    /// The number of pieces of both sides.
    pub const fn n_pieces(self) -> usize {
        self.own.n_pieces() + self.enemy.n_pieces()
    }

    /// The same pieces, with the other side to move.
    #[must_use]
    pub const fn swapped(self) -> Material {
        Material {
            own: self.enemy,
            enemy: self.own,
        }
    }

    /// This material and its swapped one, only once if they are the same.
    pub(crate) fn sides(self) -> impl Iterator<Item = Material> {
        let other = Some(self.swapped()).filter(|other| *other != self);
        std::iter::once(self).chain(other)
    }

    /// Every material with a piece on each side and at most this many pieces, in the order in which
    /// they are solved; each is next to its swapped one.
    ///
    /// A capture reduces the number of pieces and a promotion the number of men. In this order
    /// every move leads to an earlier material or to the swapped one.
    ///
    /// # Errors
    ///
    /// If databases cannot have this many pieces.
    pub(crate) fn all(n_pieces: usize) -> Result<Vec<Material>, EndgameError> {
        if !(2..=MAX_PIECES).contains(&n_pieces) {
            return Err(EndgameError::PieceCount { n_pieces });
        }
        let armies = || (1..n_pieces).flat_map(armies);
        let mut all: Vec<Material> = armies()
            .flat_map(|own| armies().map(move |enemy| Material { own, enemy }))
            .filter(|material| material.n_pieces() <= n_pieces)
            .collect();
        all.sort_unstable_by_key(|material| {
            let n_men = material.own.men + material.enemy.men;
            let pair = (*material).min(material.swapped());
            (material.n_pieces(), n_men, pair, *material)
        });
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pieces_come_first_and_of_these_few_men() {
        let all = Material::all(5).unwrap();
        let key = |material: &Material| {
            let n_men = material.own.men + material.enemy.men;
            (material.n_pieces(), n_men)
        };
        assert!(all.is_sorted_by_key(key));
        assert!(all.chunk_by(|a, b| *b == a.swapped()).count() < all.len());
    }

    #[test]
    fn what_a_move_leads_to_is_solved_before() {
        let shrinks = |from: Army, to: Army| to.men <= from.men && to.n_pieces() <= from.n_pieces();
        let all = Material::all(5).unwrap();
        for (number, from) in all.iter().enumerate() {
            for to in &all[number + 1..] {
                for to in [*to, to.swapped()] {
                    let is_led_to = shrinks(from.own, to.own) && shrinks(from.enemy, to.enemy);
                    let is_same = to == *from || to == from.swapped();
                    assert!(is_same || !is_led_to, "{from:?} {to:?}");
                }
            }
        }
    }
}
