//! Moves backwards: from which positions a position can have come without capture or promotion.

use rules::{Bitboard, Color, Piece, Reach, Rules, Square};

use crate::placement::Placement;

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
        for_each_origin(&rules.man, to, empty, |from| {
            // No man comes from the row where it would have been crowned: it moves towards that.
            let mut before = *placement;
            before.men[0] = before.men[0] & !to.bit() | from;
            visit(before);
        });
    }
    for to in placement.kings[0] & rules.simple_area {
        for_each_origin(&rules.king, to, empty, |from| {
            let mut before = *placement;
            before.kings[0] = before.kings[0] & !to.bit() | from;
            visit(before);
        });
    }
}

/// Calls `visit` with each square, as a set, from which a white piece can have come to `to`.
fn for_each_origin(piece: &Piece, to: Square, empty: Bitboard, mut visit: impl FnMut(Bitboard)) {
    for step in piece.steps.shifts(Color::White) {
        let mut from = shifted(to.bit(), -step) & empty;
        while !from.is_empty() {
            visit(from);
            from = match piece.reach {
                Reach::Short => Bitboard::EMPTY,
                Reach::FlyingLandsNext | Reach::Flying => shifted(from, -step) & empty,
            };
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
