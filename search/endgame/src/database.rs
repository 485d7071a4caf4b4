//! The database of a variant: what it holds, and probing.

use rules::{Position, Variant};

use crate::index::Index;
use crate::placement::Placement;
use crate::settled::Validity;
use crate::values::Values;
use crate::{Army, EndgameError, GameValue, MAX_PIECES, Material};

/// Numbers of men or kings of one side, 0 included.
const COUNTS: usize = MAX_PIECES + 1;
const NONE: u16 = u16::MAX;

/// The values of all positions of a variant with few pieces, in memory: two bits a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Database {
    variant: Variant,
    n_pieces: usize,
    slices: Vec<Slice>,
    /// [slice]
    validities: Vec<Validity>,
    /// [own men, own kings, enemy men, enemy kings] which slice; `NONE` where there is none.
    by_material: Box<[u16]>,
}

/// The positions of one material.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    material: Material,
    index: Index,
    values: Values,
    longest: u16,
    counts: [usize; 3],
}

impl Slice {
    pub(crate) fn new(material: Material, index: Index, values: Values, longest: u16) -> Slice {
        let counts = values.count(index.len());
        Slice {
            material,
            index,
            values,
            longest,
            counts,
        }
    }

    /// What is on the board.
    pub fn material(&self) -> Material {
        self.material
    }

    /// How many positions have this value. A position and its turned twin count as one.
    pub fn count(&self, value: GameValue) -> usize {
        self.counts[value as usize]
    }

    /// How many positions there are. A position and its turned twin count as one, one with other king rest
    /// counters as another.
    pub fn n_positions(&self) -> usize {
        self.index.len()
    }

    /// How many states the king rest counters have in each way that the pieces can stand.
    pub(crate) fn n_rests(&self) -> usize {
        self.index.n_rests()
    }

    /// How many ways the pieces can stand.
    pub(crate) fn n_placements(&self) -> usize {
        self.index.len() / self.index.n_rests()
    }

    /// The most plies that a win takes here, with best play of both sides, until a capture or a
    /// promotion wins, or the loser cannot move.
    pub fn longest(&self) -> u16 {
        self.longest
    }

    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    #[cfg(test)]
    pub(crate) fn with_values(&self, values: Values) -> Slice {
        Slice::new(self.material, self.index.clone(), values, self.longest)
    }

    /// A position of the slice, with White to move.
    pub(crate) fn position(&self, variant: Variant, at: usize) -> Position {
        self.index.unrank(at).position(variant)
    }
}

impl Database {
    pub(crate) fn empty(variant: Variant, n_pieces: usize) -> Database {
        Database {
            variant,
            n_pieces,
            slices: Vec::new(),
            validities: Vec::new(),
            by_material: vec![NONE; COUNTS.pow(4)].into(),
        }
    }

    pub(crate) fn insert(&mut self, slice: Slice) {
        let rules = self.variant.rules();
        let validity = Validity::new(rules, self, slice.material, slice.longest);
        self.by_material[place(slice.material)] = self.slices.len() as u16;
        self.slices.push(slice);
        self.validities.push(validity);
    }

    /// What counters leave of the values, by material.
    pub(crate) fn validities(&self) -> impl Iterator<Item = (Material, Validity)> {
        let materials = self.slices.iter().map(Slice::material);
        materials.zip(self.validities.iter().copied())
    }

    /// The longest win in a position's slice and what counters leave of its values.
    pub(crate) fn validity(&self, position: &Position) -> Option<(u16, Validity)> {
        let at = self.slice_number(Placement::of(position).material())?;
        Some((self.slices.get(at)?.longest, self.validities[at]))
    }

    /// The game whose positions these are.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The most pieces that a position here has.
    pub fn n_pieces(&self) -> usize {
        self.n_pieces
    }

    /// All slices, in the order in which they were solved.
    pub fn slices(&self) -> &[Slice] {
        &self.slices
    }

    /// How many positions there are. A position and its turned twin count as one.
    pub fn n_positions(&self) -> usize {
        self.slices.iter().map(Slice::n_positions).sum()
    }

    /// The most plies that a win takes in any slice: see [`Slice::longest`].
    pub fn longest(&self) -> u16 {
        self.slices.iter().map(Slice::longest).max().unwrap_or(0)
    }

    /// What a position is worth to the side to move, plies without progress left out of account (see the
    /// [crate's introduction](crate) for what that means). A side without pieces has lost, or won
    /// where the goal is to lose them.
    ///
    /// `None` for positions that are not here: another variant, too many pieces, nothing left to play
    /// against, or a man on a square where it would have been crowned.
    #[inline]
    pub fn probe(&self, position: &Position) -> Option<GameValue> {
        if position.variant() != self.variant {
            return None;
        }
        let placement = Placement::of(position);
        let material = placement.material();
        if material.own.n_pieces() == 0 {
            let turn = position.turn();
            let has_won = self.variant.rules().goal.winner(turn) == turn;
            return Some(if has_won {
                GameValue::Win
            } else {
                GameValue::Loss
            });
        }
        let slice = self.slice(material)?;
        Some(slice.values.get(slice.index.rank(&placement)?))
    }

    #[inline]
    pub(crate) fn slice(&self, material: Material) -> Option<&Slice> {
        self.slices.get(self.slice_number(material)?)
    }

    /// A number that is too large where there is no slice.
    #[inline]
    fn slice_number(&self, material: Material) -> Option<usize> {
        let fits = material.n_pieces() <= self.n_pieces;
        fits.then(|| usize::from(self.by_material[place(material)]))
    }
}

pub(crate) fn check_piece_count(n_pieces: usize) -> Result<(), EndgameError> {
    if (2..=MAX_PIECES).contains(&n_pieces) {
        Ok(())
    } else {
        Err(EndgameError::PieceCount { n_pieces })
    }
}

fn place(material: Material) -> usize {
    let Material { own, enemy } = material;
    let pair = |army: Army| army.men * COUNTS + army.kings;
    pair(own) * COUNTS * COUNTS + pair(enemy)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Those of one side alone too, for which there is no slice.
    #[test]
    fn every_material_has_a_place_of_its_own() {
        let counts = || 0..=MAX_PIECES;
        let armies =
            || counts().flat_map(move |men| counts().map(move |kings| Army { men, kings }));
        let pairs = armies().flat_map(|own| armies().map(move |enemy| Material { own, enemy }));
        let materials: Vec<Material> = pairs.filter(|pair| pair.n_pieces() <= MAX_PIECES).collect();
        let places: HashSet<usize> = materials.iter().copied().map(place).collect();
        assert_eq!(places.len(), materials.len());
        assert!(places.into_iter().all(|place| place < COUNTS.pow(4)));
    }
}
