//! Backward moves: the predecessors of a position by moves without capture or promotion.

use rules::{Bitboard, Color, Piece, Reach, Rules, Square};

use crate::placement::Placement;
use crate::rest::states;

/// Calls `visit` with each placement from which the owner of `placement` can have made a simple
/// move into it. Both are seen by that side, which is *not* to move in `placement`.
///
/// The move may have been illegal there, because a capture was mandatory.
pub(crate) fn for_each_unmove(
    rules: &Rules,
    placement: &Placement,
    mut visit: impl FnMut(Placement),
) {
    let empty = rules.board.mask() & !placement.occupied();
    let ([men, _], [kings, _], [rest, _]) = (placement.men, placement.kings, placement.rests);
    // If a king is counted, it made the last move.
    let moved_men = match rest {
        Some(_) => Bitboard::EMPTY,
        None => men,
    };
    for to in moved_men & rules.simple_area {
        for_each_origin(&rules.man, to, empty, |from| {
            // A man never starts on the promotion row, since it moves towards it.
            let mut before = *placement;
            before.men[0] = men & !to.bit() | from;
            for rest in states(rules, men, kings) {
                before.rests[0] = rest;
                visit(before);
            }
        });
    }
    let is_counted = rules.king_rest_limit > 0 && !men.is_empty();
    for to in kings & rules.simple_area {
        let count = match rest {
            Some((king, count)) if king == to => count,
            _ if is_counted => continue,
            _ => 0,
        };
        for_each_origin(&rules.king, to, empty, |from| {
            let mut before = *placement;
            before.kings[0] = kings & !to.bit() | from;
            if count > 1 {
                before.rests[0] = from.iter().next().map(|from| (from, count - 1));
                return visit(before);
            }
            // Before, another king had moved, or none.
            for rest in states(rules, men, kings & !to.bit()) {
                before.rests[0] = rest;
                visit(before);
            }
        });
    }
}

/// Calls `visit` with each square, as a set, from which a white piece can have moved to `to`.
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
    use rules::Variant;

    use super::*;
    use crate::Material;
    use crate::index::Index;

    /// The results of quiet moves, seen by the side that makes them; empty if a capture is
    /// mandatory.
    fn quiet_moves(variant: Variant, placement: &Placement) -> Vec<Placement> {
        let position = placement.position(variant);
        let moves = position.legal_moves();
        let nexts = moves
            .iter()
            .map(|mv| Placement::of(&position.play(*mv)).turned());
        let is_quiet = |next: &Placement| next.material() == placement.material();
        nexts.filter(is_quiet).collect()
    }

    fn unmoves(variant: Variant, placement: &Placement) -> Vec<Placement> {
        let mut before = Vec::new();
        for_each_unmove(variant.rules(), placement, |placement| {
            before.push(placement)
        });
        before
    }

    /// Compares with the move generator: every move is undone, and every undone move can be played.
    #[test]
    fn unmoves_are_the_quiet_moves_backwards() {
        for variant in Variant::ALL {
            let rules = variant.rules();
            let mut n = [0; 2];
            for material in Material::all(3).unwrap() {
                let index = Index::new(rules, material);
                // All positions with two pieces, some with three.
                let step = index.len() / 4_000 + 1;
                for at in (0..index.len()).step_by(step) {
                    let placement = index.unrank(at);
                    for next in quiet_moves(variant, &placement) {
                        assert!(
                            unmoves(variant, &next).contains(&placement),
                            "{placement:?}"
                        );
                        n[0] += 1;
                    }
                    for before in unmoves(variant, &placement) {
                        let moves = before.position(variant).legal_moves();
                        let must_capture =
                            rules.capture_is_mandatory && moves.iter().any(|mv| mv.is_capture());
                        let nexts = quiet_moves(variant, &before);
                        // Nothing follows a game that a king has ended.
                        let is_over = moves.is_empty();
                        assert!(
                            must_capture || is_over || nexts.contains(&placement),
                            "{before:?}"
                        );
                        n[1] += 1;
                    }
                }
            }
            assert!(n.iter().all(|&n| n > 10_000), "{variant}: {n:?}");
        }
    }
}
