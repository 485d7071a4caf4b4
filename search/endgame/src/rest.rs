//! King rest counters (4.6) as part of a position: possible states and their numbering.
//!
//! A side with a man and a king has `1 + limit * kings` states: no king counted, or one of its
//! kings with 1 to `limit` consecutive moves. Every other side has one state, as does every side in
//! rules without king rest.

use rules::{Army, Bitboard, Rules, Square};

use crate::combinations::{rank as place, unrank as at_place};

/// The king that made a side's last simple moves, and the number of consecutive moves.
pub(crate) type KingRest = Option<(Square, u8)>;

/// The number of counter states of an army.
pub(crate) fn n_states(rules: &Rules, army: Army) -> usize {
    match army.men {
        0 => 1,
        _ => 1 + usize::from(rules.king_rest_limit) * army.kings,
    }
}

/// The states of a side with these pieces, in numbering order.
pub(crate) fn states(
    rules: &Rules,
    men: Bitboard,
    kings: Bitboard,
) -> impl Iterator<Item = KingRest> + use<> {
    let counted = match men.is_empty() {
        true => Bitboard::EMPTY,
        false => kings,
    };
    let limit = rules.king_rest_limit;
    let of_king = move |king| (1..=limit).map(move |count| Some((king, count)));
    std::iter::once(None).chain(counted.into_iter().flat_map(of_king))
}

/// The number of a state.
#[inline]
pub(crate) fn rank(rest: KingRest, kings: Bitboard, limit: usize) -> usize {
    rest.map_or(0, |(king, count)| {
        place(king.bit(), kings) * limit + usize::from(count)
    })
}

/// The state with this number; inverse of [`rank`].
pub(crate) fn unrank(number: usize, kings: Bitboard, limit: usize) -> KingRest {
    let number = number.checked_sub(1)?;
    let king = at_place(number / limit, 1, kings).iter().next()?;
    Some((king, (number % limit) as u8 + 1))
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;

    #[test]
    fn states_are_numbered_in_order() {
        let (men, kings) = (Bitboard(0b1), Bitboard(0b1_0100_0010));
        for (variant, n) in [(Variant::Frisian, 10), (Variant::FrisianPlain, 1)] {
            let rules = variant.rules();
            let limit = usize::from(rules.king_rest_limit);
            let states: Vec<_> = super::states(rules, men, kings).collect();
            let army = Army { men: 1, kings: 3 };
            assert_eq!([states.len(), n_states(rules, army)], [n, n]);
            for (number, rest) in states.into_iter().enumerate() {
                assert_eq!(rank(rest, kings, limit), number);
                assert_eq!(unrank(number, kings, limit), rest);
            }
        }
    }

    #[test]
    fn a_side_without_men_or_kings_has_no_counter() {
        let rules = Variant::Frisian.rules();
        for (men, kings) in [(0, 2), (2, 0)] {
            assert_eq!(n_states(rules, Army { men, kings }), 1);
            let area = |n: usize| Bitboard((1 << n) - 1);
            assert!(states(rules, area(men), area(kings)).eq([None]));
        }
    }
}
