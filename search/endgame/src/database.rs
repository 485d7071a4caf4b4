//! The database of a variant, and probing.

use rules::{Position, Variant};

use crate::index::Index;
use crate::placement::Placement;
use crate::settled::Validity;
use crate::values::Values;
use crate::{Army, GameValue, MAX_PIECES, Material};

/// The size of an array indexed by a number of men or kings, including 0.
const COUNTS: usize = MAX_PIECES + 1;
const NONE: u16 = u16::MAX;

/// The values of all positions of a variant with few pieces, in memory: two bits per position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Database {
    variant: Variant,
    n_pieces: usize,
    slices: Vec<Slice>,
    /// [slice]
    validities: Vec<Validity>,
    /// [own men, own kings, enemy men, enemy kings] the index of the slice; `NONE` if there is no
    /// such slice.
    by_material: Box<[u16]>,
}

/// The positions with one material balance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    material: Material,
    pub(crate) index: Index,
    pub(crate) values: Values,
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

    /// The material of its positions.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The number of positions with this value. A position and its color-swapped twin count as one.
    pub fn count(&self, value: GameValue) -> usize {
        self.counts[value as usize]
    }

    /// The number of positions. A position and its color-swapped twin count as one; different
    /// states of the king rest counters count separately.
    pub fn n_positions(&self) -> usize {
        self.index.len()
    }

    /// The number of placements of the pieces.
    pub(crate) fn n_placements(&self) -> usize {
        self.index.len() / self.index.n_rests()
    }

    /// The maximum number of plies of a win in this slice, with best play of both sides, until a
    /// capture or a promotion wins or the loser cannot move.
    pub fn longest(&self) -> u16 {
        self.longest
    }

    #[cfg(test)]
    pub(crate) fn with_values(&self, values: Values) -> Slice {
        Slice::new(self.material, self.index.clone(), values, self.longest)
    }

    /// The position with this index, with White to move.
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

    /// The validity of each slice's values under draw counters, by material.
    pub(crate) fn validities(&self) -> impl Iterator<Item = (Material, Validity)> {
        let materials = self.slices.iter().map(Slice::material);
        materials.zip(self.validities.iter().copied())
    }

    /// The longest win in a position's slice, and the validity of its values.
    pub(crate) fn validity(&self, position: &Position) -> Option<Validity> {
        let at = self.slice_number(Placement::of(position).material())?;
        self.validities.get(at).copied()
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The maximum number of pieces.
    pub fn n_pieces(&self) -> usize {
        self.n_pieces
    }

    /// All slices, in the order in which they were solved.
    pub fn slices(&self) -> &[Slice] {
        &self.slices
    }

    /// The total number of positions. A position and its color-swapped twin count as one.
    pub fn n_positions(&self) -> usize {
        self.slices.iter().map(Slice::n_positions).sum()
    }

    /// The longest win of all slices: see [`Slice::longest`].
    pub fn longest(&self) -> u16 {
        self.slices.iter().map(Slice::longest).max().unwrap_or(0)
    }

    /// The value of a position for the side to move, ignoring plies without progress (see the
    /// [crate documentation](crate)). A side without pieces has lost, or has won if the goal is to
    /// lose all pieces.
    ///
    /// `None` for positions not in the database: another variant, too many pieces, no opposing
    /// piece, or a man on a promotion square.
    #[inline]
    pub fn probe(&self, position: &Position) -> Option<GameValue> {
        if position.variant() != self.variant {
            return None;
        }
        let placement = Placement::of(position);
        let material = placement.material();
        if material.own.n_pieces() == 0 {
            return Some(if position.winner() == position.turn() {
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

    /// The table index of a material; out of range if there is no such slice.
    #[inline]
    fn slice_number(&self, material: Material) -> Option<usize> {
        let fits = material.n_pieces() <= self.n_pieces;
        fits.then(|| usize::from(self.by_material[place(material)]))
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

    /// Includes one-sided positions, which have no slice.
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
