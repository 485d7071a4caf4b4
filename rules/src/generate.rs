//! Legal move generation, compiled once per rule table and side to move.

mod capture;
mod kind;
mod simple;

pub(crate) use self::capture::paths;
use self::capture::{Sources, captures};
use self::simple::{can_step, simple_moves};
use crate::ruleset::Ruleset;
use crate::variants::with_rules;
use crate::{Color, Goal, MoveList, Position};

impl Position {
    /// The legal moves, in an order that depends only on the position. They are listed even if a
    /// draw rule has ended the game.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate(&mut moves);
        moves
    }

    /// Replaces the contents of `moves` by the legal moves.
    pub fn generate(&self, moves: &mut MoveList) {
        with_rules!(self.variant(), R => generate::<R>(self, moves));
    }

    /// Replaces the contents of `moves` by the captures among the legal moves, in the same order.
    pub fn generate_captures(&self, moves: &mut MoveList) {
        with_rules!(self.variant(), R => generate_captures::<R>(self, moves));
    }

    /// A fast test: false only if the side to move has no capture.
    #[inline]
    pub fn may_capture(&self) -> bool {
        with_rules!(self.variant(), R => may_capture::<R>(self))
    }

    /// True if the side to move has a legal move.
    pub fn has_moves(&self) -> bool {
        with_rules!(self.variant(), R => has_moves::<R>(self))
    }
}

/// Replaces the contents of `moves` by the legal moves of `position`, whose variant is `R`.
///
/// Inlined with the simple moves, so that a caller that has just created the position need not
/// write it to memory and read it back.
#[inline(always)]
pub(crate) fn generate<R: Ruleset>(position: &Position, moves: &mut MoveList) {
    moves.clear();
    if is_over::<R>(position) {
        return;
    }
    match position.turn() {
        Color::Black => generate_for::<R, false>(position, moves),
        Color::White => generate_for::<R, true>(position, moves),
    }
}

/// Replaces the contents of `moves` by the captures among the legal moves of `position`, whose
/// variant is `R`.
fn generate_captures<R: Ruleset>(position: &Position, moves: &mut MoveList) {
    moves.clear();
    if is_over::<R>(position) {
        return;
    }
    match position.turn() {
        Color::Black => captures_for::<R, false>(position, moves),
        Color::White => captures_for::<R, true>(position, moves),
    }
}

#[inline(always)]
fn captures_for<R: Ruleset, const WHITE: bool>(position: &Position, moves: &mut MoveList) {
    if let Some(sources) = Sources::of::<R, WHITE>(position) {
        captures::<R, WHITE>(position, sources, moves);
    }
}

/// Fast test for captures of the side to move of `position`, whose variant is `R`: false only if
/// there is none. Exact for short-ranged pieces.
#[inline(always)]
fn may_capture<R: Ruleset>(position: &Position) -> bool {
    match position.turn() {
        Color::Black => Sources::of::<R, false>(position).is_some(),
        Color::White => Sources::of::<R, true>(position).is_some(),
    }
}

/// True if the side to move of `position`, whose variant is `R`, has a legal move.
fn has_moves<R: Ruleset>(position: &Position) -> bool {
    let can_step = match position.turn() {
        Color::Black => can_step::<R, false>(position),
        Color::White => can_step::<R, true>(position),
    };
    can_step && !is_over::<R>(position) || !position.legal_moves().is_empty()
}

/// Returns `true` if a king has ended the game.
#[inline(always)]
fn is_over<R: Ruleset>(position: &Position) -> bool {
    matches!(R::RULES.goal, Goal::FirstKing) && !position.all_kings().is_empty()
}

#[inline(always)]
fn generate_for<R: Ruleset, const WHITE: bool>(position: &Position, moves: &mut MoveList) {
    match Sources::of::<R, WHITE>(position) {
        None => simple_moves::<R, WHITE>(position, moves),
        Some(sources) => generate_around::<R, WHITE>(position, sources, moves),
    }
}

/// The less frequent case with possible captures, kept out of line.
#[inline(never)]
fn generate_around<R: Ruleset, const WHITE: bool>(
    position: &Position,
    sources: Sources,
    moves: &mut MoveList,
) {
    captures::<R, WHITE>(position, sources, moves);
    if moves.is_empty() || !R::RULES.capture_is_mandatory {
        simple_moves_as_well::<R, WHITE>(position, moves);
    }
}

/// [`simple_moves`], kept out of line for positions with possible captures.
#[inline(never)]
fn simple_moves_as_well<R: Ruleset, const WHITE: bool>(position: &Position, moves: &mut MoveList) {
    simple_moves::<R, WHITE>(position, moves);
}

const fn color(white: bool) -> Color {
    if white { Color::White } else { Color::Black }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Criterion, Directions, Piece, Promotion, Reach, Rules, Variant};

    /// The moves of an 8x8 position by the rules `R`, in canonical order.
    fn moves<R: Ruleset>(fen: &str) -> Vec<String> {
        let position = Position::from_fen(Variant::English, fen).unwrap();
        let mut moves = MoveList::new();
        generate::<R>(&position, &mut moves);
        moves.sort_canonical();
        let number = |square| position.board().number(square);
        let text = |mv: &crate::Move| {
            let victims: Vec<_> = mv.captured.iter().map(number).collect();
            format!("{}-{} {victims:?}", number(mv.from), number(mv.to))
        };
        moves.iter().map(text).collect()
    }

    macro_rules! table {
        ($name:ident: $($field:ident = $value:expr),*) => {
            struct $name;
            impl Ruleset for $name {
                const RULES: Rules = Rules { $($field: $value,)* ..Rules::BASE };
            }
        };
    }

    const MAN: Piece = Rules::BASE.man;
    const BOTH_WAYS: Piece = Piece {
        jumps: Rules::BASE.king.jumps,
        ..MAN
    };

    #[test]
    fn men_may_be_forbidden_to_capture_kings() {
        table!(Timid: man = Piece { captures_kings: false, ..MAN });
        assert_eq!(moves::<Timid>("W:W22:BK18"), ["22-17 []"]);
        assert_eq!(moves::<Timid>("W:W22:B18"), ["22-15 [18]"]);
        assert_eq!(moves::<Timid>("W:WK22:BK18"), ["22-15 [18]"]);
    }

    #[test]
    fn captures_are_compared_by_the_weightiest_criterion_first() {
        table!(Free: priority = &[]);
        table!(MostPieces: priority = &[Criterion::MostPieces, Criterion::MostKings]);
        table!(MostKings: priority = &[Criterion::MostKings, Criterion::MostPieces]);
        table!(ByKing: priority = &[Criterion::ByKing, Criterion::MostPieces]);
        // Two men, one king, or one man captured by a king.
        let fen = "W:W21,24,K3:B7,9,17,K19";
        let (two, king, by_king) = ("21-5 [9, 17]", "24-15 [19]", "3-10 [7]");
        assert_eq!(moves::<Free>(fen), [by_king, two, king]);
        assert_eq!(moves::<MostPieces>(fen), [two]);
        assert_eq!(moves::<MostKings>(fen), [king]);
        assert_eq!(moves::<ByKing>(fen), [by_king]);
    }

    /// A man on 10 that jumps to 3, where it promotes, and from there back to 12.
    #[test]
    fn crowning_lets_a_capture_go_on_or_ends_it() {
        table!(AtEnd: man = BOTH_WAYS);
        table!(EndsMove: man = BOTH_WAYS, promotion = Promotion::EndsMove);
        table!(InPassing: man = BOTH_WAYS, promotion = Promotion::InPassing);
        let fen = "W:W10:B7,8";
        assert_eq!(moves::<AtEnd>(fen), ["10-12 [7, 8]"]);
        assert_eq!(moves::<EndsMove>(fen), ["10-3 [7]"]);
        assert_eq!(moves::<InPassing>(fen), ["10-12 [7, 8]"]);
        let crowned = |rules: &Rules, fen| {
            let position = Position::from_fen(Variant::English, fen).unwrap();
            let board = position.board();
            let mv = crate::Move {
                from: board.token_square(9),
                to: board.token_square(11),
                captured: board.range(7, 8),
            };
            rules.promotes(position.turn(), &mv)
        };
        assert!(!crowned(&AtEnd::RULES, fen));
        assert!(crowned(&InPassing::RULES, fen));
    }

    #[test]
    fn rules_that_are_not_known_are_refused() {
        let is_known = |man: Piece, promotion: Promotion| {
            let rules = Rules {
                man,
                promotion,
                ..Rules::BASE
            };
            std::panic::catch_unwind(|| rules.check()).is_ok()
        };
        let flying = Piece {
            reach: Reach::Flying,
            ..MAN
        };
        let straight = Piece {
            jumps: Directions::ALL,
            ..MAN
        };
        assert!(is_known(flying, Promotion::AtEnd));
        assert!(!is_known(flying, Promotion::EndsMove));
        assert!(is_known(straight, Promotion::EndsMove));
        // The captured pieces of such a man do not determine whether it was on the last row.
        assert!(!is_known(straight, Promotion::InPassing));
        assert!(is_known(BOTH_WAYS, Promotion::InPassing));
    }

    /// If men promote in passing, longer captures rank higher, by men and kings.
    #[test]
    fn crowning_in_passing_agrees_with_priorities() {
        table!(Long:
            man = BOTH_WAYS,
            king = Piece { reach: Reach::Flying, ..Rules::BASE.king },
            promotion = Promotion::InPassing,
            priority = &[Criterion::MostPieces]
        );
        // The new king on 2 captures from a distance.
        assert_eq!(moves::<Long>("W:W9,21:B6,16,17"), ["9-20 [6, 16]"]);
    }

    #[test]
    fn men_may_fly() {
        table!(Flying: man = Piece { reach: Reach::Flying, ..MAN });
        assert_eq!(
            moves::<Flying>("W:W29:B18"),
            ["29-4 [18]", "29-8 [18]", "29-11 [18]", "29-15 [18]"]
        );
        assert_eq!(
            moves::<Flying>("W:W25:B1"),
            [
                "25-4 []", "25-8 []", "25-11 []", "25-15 []", "25-18 []", "25-21 []", "25-22 []"
            ]
        );
    }
}
