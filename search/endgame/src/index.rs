//! A gapless index of the positions of one material.

use rules::{Bitboard, Color, Rules};

use crate::combinations::{choose, rank, unrank};
use crate::placement::Placement;
use crate::rest;
use crate::{MAX_PIECES, Material};

/// The squares available to pieces, as seen by the side to move. Men never occupy promotion
/// squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Areas {
    board: Bitboard,
    /// Squares for own men only, where the enemy's men promote.
    home: Bitboard,
    /// Squares for men of both sides.
    shared: Bitboard,
    enemy_men: Bitboard,
}

impl Areas {
    fn new(rules: &Rules) -> Areas {
        let board = rules.board.mask();
        let own_men = board & !rules.crown_area(Color::White);
        let enemy_men = board & !rules.crown_area(Color::Black);
        Areas {
            board,
            home: own_men & !enemy_men,
            shared: own_men & enemy_men,
            enemy_men,
        }
    }
}

/// A bijection between the positions of one material and `0..len()`.
///
/// The index is a mixed-radix number with these digits: own men on the home row, other own men,
/// enemy men, own kings, enemy kings, each a set among the squares left by the digits before. The
/// number of squares that own men leave to enemy men depends on how many own men are on the home
/// row, so positions are grouped by that number first. The last digits are the king rest counters,
/// own and the enemy's, with a single value if the rules have none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Index {
    material: Material,
    areas: Areas,
    /// [own men on the home row]
    groups: [Group; MAX_PIECES + 1],
    /// The number of states of the king rest counters, own and the enemy's.
    rest_radices: [usize; 2],
    rest_limit: usize,
    len: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Group {
    /// The first index of the group.
    first: usize,
    /// The number of values of each digit, most significant first.
    radices: [usize; 5],
}

impl Index {
    pub(crate) fn new(rules: &Rules, material: Material) -> Index {
        let areas = Areas::new(rules);
        let mut index = Index {
            material,
            areas,
            groups: [Group::default(); MAX_PIECES + 1],
            rest_radices: [material.own, material.enemy].map(|army| rest::n_states(rules, army)),
            rest_limit: usize::from(rules.king_rest_limit),
            len: 0,
        };
        for at_home in 0..=material.own.men {
            let radices = radices(&areas, material, at_home);
            index.groups[at_home] = Group {
                first: index.len,
                radices,
            };
            index.len += radices.iter().product::<usize>();
        }
        index.len *= index.n_rests();
        index
    }

    /// The number of joint states of both king rest counters.
    pub(crate) fn n_rests(&self) -> usize {
        self.rest_radices[0] * self.rest_radices[1]
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The index of a placement of this material, if its men are on permitted squares.
    #[inline]
    pub(crate) fn rank(&self, placement: &Placement) -> Option<usize> {
        let areas = &self.areas;
        let [own_men, enemy_men] = placement.men;
        let [own_kings, enemy_kings] = placement.kings;
        let strays = own_men & !(areas.home | areas.shared) | enemy_men & !areas.enemy_men;
        if !strays.is_empty() {
            return None;
        }
        let at_home = own_men & areas.home;
        let free = areas.board & !own_men & !enemy_men;
        let digits = [
            rank(at_home, areas.home),
            rank(own_men & areas.shared, areas.shared),
            rank(enemy_men, areas.enemy_men & !own_men),
            rank(own_kings, free),
            rank(enemy_kings, free & !own_kings),
        ];
        let group = &self.groups[at_home.count() as usize];
        let number = group.radices.iter().zip(digits);
        let number = group.first + number.fold(0, |number, (radix, digit)| number * radix + digit);
        if self.n_rests() == 1 {
            return Some(number);
        }
        let rests = [0, 1].map(|side| {
            rest::rank(
                placement.rests[side],
                placement.kings[side],
                self.rest_limit,
            )
        });
        Some((number * self.rest_radices[0] + rests[0]) * self.rest_radices[1] + rests[1])
    }

    /// The placement with this index, which must be below [`Index::len`].
    pub(crate) fn unrank(&self, index: usize) -> Placement {
        let (areas, material) = (&self.areas, self.material);
        let (index, rests) = (index / self.n_rests(), index % self.n_rests());
        let groups = &self.groups[..=material.own.men];
        let at_home = groups.partition_point(|group| group.first <= index) - 1;
        let mut rest = index - groups[at_home].first;
        let mut digits = [0; 5];
        for (digit, radix) in digits.iter_mut().zip(groups[at_home].radices).rev() {
            (rest, *digit) = (rest / radix, rest % radix);
        }
        let own_men = unrank(digits[0], at_home, areas.home)
            | unrank(digits[1], material.own.men - at_home, areas.shared);
        let enemy_men = unrank(digits[2], material.enemy.men, areas.enemy_men & !own_men);
        let free = areas.board & !own_men & !enemy_men;
        let own_kings = unrank(digits[3], material.own.kings, free);
        let enemy_kings = unrank(digits[4], material.enemy.kings, free & !own_kings);
        let rests = [
            (rests / self.rest_radices[1], own_kings),
            (rests % self.rest_radices[1], enemy_kings),
        ];
        Placement {
            men: [own_men, enemy_men],
            kings: [own_kings, enemy_kings],
            rests: rests.map(|(number, kings)| rest::unrank(number, kings, self.rest_limit)),
        }
    }
}

fn radices(areas: &Areas, material: Material, at_home: usize) -> [usize; 5] {
    let size = |area: Bitboard| area.count() as usize;
    let elsewhere = material.own.men - at_home;
    let free = size(areas.board) - material.own.men - material.enemy.men;
    [
        choose(size(areas.home), at_home),
        choose(size(areas.shared), elsewhere),
        choose(size(areas.enemy_men) - elsewhere, material.enemy.men),
        choose(free, material.own.kings),
        choose(free - material.own.kings, material.enemy.kings),
    ]
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;
    use crate::Army;
    use crate::material::armies;

    /// A known count: Schaeffer's table of checkers positions by number of pieces (OEIS A055213),
    /// which includes one-sided positions.
    #[test]
    fn english_has_as_many_positions_as_published() {
        for (n_pieces, published) in (1..).zip([120, 6972, 261_224, 7_092_774, 148_688_232]) {
            let armies = |n_own| {
                armies(n_own).flat_map(move |own| {
                    armies(n_pieces - n_own).map(move |enemy| Material { own, enemy })
                })
            };
            let count: usize = (0..=n_pieces)
                .flat_map(armies)
                .map(|material| Index::new(Variant::English.rules(), material).len())
                .sum();
            assert_eq!(count, published, "{n_pieces} pieces");
        }
    }

    #[test]
    fn index_and_placement_are_one_to_one() {
        for variant in Variant::ALL {
            for material in Material::all(5).unwrap() {
                let index = Index::new(variant.rules(), material);
                let step = (index.len() / 300).max(1);
                for at in (0..index.len()).step_by(step).chain([index.len() - 1]) {
                    let placement = index.unrank(at);
                    assert_eq!(placement.material(), material);
                    assert_eq!(placement.occupied().count() as usize, material.n_pieces());
                    assert_eq!(index.rank(&placement), Some(at), "{variant} {material:?}");
                }
            }
        }
    }

    #[test]
    fn a_man_where_it_would_be_crowned_has_no_index() {
        // R24: the inner far row of the ring board, where the rules allow men in a setup.
        let rules = Variant::Ringboard.rules();
        let square = |number| rules.board.range(number, number);
        let one = Army { men: 1, kings: 0 };
        let index = Index::new(
            rules,
            Material {
                own: one,
                enemy: one,
            },
        );
        for (own, enemy) in [(8, 20), (20, 42)] {
            let placement = Placement {
                men: [square(own), square(enemy)],
                kings: [Bitboard::EMPTY; 2],
                rests: [None; 2],
            };
            assert_eq!(index.rank(&placement), None);
        }
    }
}
