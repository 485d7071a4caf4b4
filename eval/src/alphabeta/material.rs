//! The evaluation: material and nothing else.

use rules::{Color, Goal, Position, Reach};

/// The value of a man; scores count half men.
pub const MAN: i32 = 2;

/// Material balance for the side to move.
pub fn material(position: &Position) -> i32 {
    let king = match position.variant().rules().king.reach {
        Reach::Short => MAN + MAN / 2,
        Reach::FlyingLandsNext | Reach::Flying => MAN * 3,
    };
    let side = |color: Color| {
        MAN * position.men(color).count() as i32 + king * position.kings(color).count() as i32
    };
    let balance = side(position.turn()) - side(!position.turn());
    match position.variant().rules().goal {
        Goal::Win | Goal::FirstKing => balance,
        Goal::Misere => -balance,
    }
}

#[cfg(test)]
mod tests {
    use rules::Variant;

    use super::*;

    #[test]
    fn a_king_is_worth_as_much_as_it_reaches() {
        for (variant, king) in [
            (Variant::English, 3),
            (Variant::Thai, 6),
            (Variant::Frisian, 6),
        ] {
            let score = |fen| material(&Position::from_fen(variant, fen).expect("a FEN"));
            assert_eq!(score("W:WK14,22:BK1"), MAN, "{variant}");
            assert_eq!(score("B:WK14,22:BK1"), -MAN, "{variant}");
            assert_eq!(score("W:WK14:B1"), king - MAN, "{variant}");
        }
    }
}
