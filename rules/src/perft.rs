//! Counting the leaves of the game tree, to test and to time the move generator.

use crate::generate::generate;
use crate::ruleset::Ruleset;
use crate::variants::with_rules;
use crate::{MoveList, Position};

/// Number of move sequences of the given length. Draw rules are ignored.
///
/// ```
/// use rules::{Position, Variant, perft};
///
/// assert_eq!(perft(&Position::start(Variant::Frisian), 4), 3874);
/// ```
pub fn perft(position: &Position, depth: usize) -> u64 {
    let mut lists = vec![MoveList::new(); depth];
    with_rules!(position.variant(), R => count::<R>(position, &mut lists))
}

/// One list per ply is left; the last ply is counted without being played.
fn count<R: Ruleset>(position: &Position, lists: &mut [MoveList]) -> u64 {
    let [moves, deeper @ ..] = lists else {
        return 1;
    };
    generate::<R>(position, moves);
    if deeper.is_empty() {
        return moves.len() as u64;
    }
    moves
        .iter()
        .map(|mv| count::<R>(&position.play_by::<R>(mv), deeper))
        .sum()
}
