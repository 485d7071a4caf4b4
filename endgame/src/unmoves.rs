//! Moves backwards: from which positions a position can have come without capture or promotion.

use rules::{Bitboard, Color, KingReach, Rules};

use crate::placement::Placement;

/// A man's two steps back, as shifts of the shared geometry ([`Bitboard`]).
const BACK: [i8; 2] = [6, 7];
/// The four diagonals.
const DIAGONALS: [i8; 4] = [6, 7, -6, -7];

/// Calls `visit` with each placement from which the owner of `placement` can have made a simple move
/// into it. Both are seen by that side, the one that is *not* to move in `placement`.
///
/// Whether the move was legal there is not asked: a capture may have been compulsory.
pub(crate) fn for_each_unmove(
    rules: &Rules,
    placement: &Placement,
    mut visit: impl FnMut(Placement),
) {
    let empty = rules.board.mask() & !placement.occupied();
    for to in placement.men[0] & rules.simple_area {
        for step in BACK {
            let from = shifted(to.bit(), step) & empty & !rules.crown_area(Color::White);
            if !from.is_empty() {
                let mut before = *placement;
                before.men[0] = before.men[0] & !to.bit() | from;
                visit(before);
            }
        }
    }
    for to in placement.kings[0] & rules.simple_area {
        for step in DIAGONALS {
            let mut from = shifted(to.bit(), step) & empty;
            while !from.is_empty() {
                let mut before = *placement;
                before.kings[0] = before.kings[0] & !to.bit() | from;
                visit(before);
                from = match rules.king_reach {
                    KingReach::Short => Bitboard::EMPTY,
                    _ => shifted(from, step) & empty,
                };
            }
        }
    }
}

fn shifted(square: Bitboard, step: i8) -> Bitboard {
    Bitboard(if step > 0 {
        square.0 << step
    } else {
        square.0 >> -step
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rules::Variant;

    use super::*;
    use crate::Material;
    use crate::index::Index;

    /// The generator is the reference: what it plays forwards is undone, and what is undone it plays.
    #[test]
    fn unmoves_are_the_quiet_moves_backwards() {
        for variant in Variant::ALL {
            let rules = variant.rules();
            let mut forwards = HashSet::new();
            let mut backwards = HashSet::new();
            for material in Material::all(2) {
                let index = Index::new(rules, material);
                let after = Index::new(rules, material.swapped());
                for at in 0..index.len() {
                    let placement = index.unrank(at);
                    let position = placement.position(variant);
                    for mv in position.legal_moves().iter() {
                        let next = Placement::of(&position.play(*mv));
                        if next.material() == material.swapped() {
                            forwards.insert((material, at, after.rank(&next)));
                        }
                    }
                    for_each_unmove(rules, &placement, |before| {
                        let next = after.rank(&placement.turned());
                        let from = index.rank(&before).unwrap();
                        let captures = before.position(variant).legal_moves();
                        let must_capture =
                            rules.capture_is_mandatory && captures.iter().any(|mv| mv.is_capture());
                        if !must_capture {
                            backwards.insert((material, from, next));
                        }
                    });
                }
            }
            assert!(forwards.len() > 5000);
            assert!(forwards == backwards, "{variant}");
        }
    }
}
