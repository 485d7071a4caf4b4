//! Quiet positions, the only ones that an evaluation is used for.

use rules::{Color, Position};

/// True if captures change nothing: there is none, or captures are optional and none wins material
/// when both sides continue capturing as long as they like.
pub(crate) fn is_quiet(position: &Position) -> bool {
    let moves = position.legal_moves();
    if !moves.iter().any(|mv| mv.is_capture()) {
        return true;
    }
    let is_mandatory = position.variant().rules().capture_is_mandatory;
    !is_mandatory && gain(position, balance(position), i32::MAX) <= balance(position)
}

/// The material balance after the best captures of both sides, clamped to `alpha..=beta`.
fn gain(position: &Position, mut alpha: i32, beta: i32) -> i32 {
    alpha = alpha.max(balance(position));
    for &mv in position.legal_moves().iter().filter(|mv| mv.is_capture()) {
        if alpha >= beta {
            break;
        }
        alpha = alpha.max(-gain(&position.play(mv), -beta.min(i32::MAX - 1), -alpha));
    }
    alpha
}

/// The material of the side to move minus the opponent's; a king counts 1.5 men.
fn balance(position: &Position) -> i32 {
    let side = |color: Color| 2 * position.men(color).count() + 3 * position.kings(color).count();
    side(position.turn()) as i32 - side(!position.turn()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Variant;

    #[test]
    fn a_pending_capture_is_not_quiet() {
        for variant in Variant::ALL {
            assert!(is_quiet(&Position::start(variant)));
        }
        let fen = "W:W22:B18";
        for variant in [Variant::English, Variant::Customary, Variant::Thai] {
            assert!(!is_quiet(&Position::from_fen(variant, fen).unwrap()));
        }
    }

    #[test]
    fn an_even_exchange_that_may_be_declined_is_quiet() {
        // 22x15 is answered by 10x19; the man on 6 prevents a further jump.
        let fen = "W:W22:B18,10,6";
        let position = |variant| Position::from_fen(variant, fen).unwrap();
        assert!(is_quiet(&position(Variant::Customary)));
        assert!(!is_quiet(&position(Variant::English)));
    }
}
