//! Perft: leaf counts of the game tree, for testing and timing the move generator.

use crate::generate::generate;
use crate::ruleset::Ruleset;
use crate::variants::with_rules;
use crate::{MoveList, Position};

/// The number of move sequences of the given length. Draw rules are ignored.
///
/// ```
/// use rules::{Position, Variant, perft};
///
/// assert_eq!(perft(&Position::start(Variant::Frisian), 4), 3874);
/// ```
pub fn perft(position: &Position, depth: usize) -> u64 {
    let mut lists = vec![MoveList::new(); depth];
    with_rules!(position.variant(), R => match lists.as_mut_slice() {
        [] => 1,
        [moves, ..] => {
            position.generate(moves);
            count::<R>(position, &mut lists)
        }
    })
}

/// The number of sequences that start with a move of the first list. There is one list per ply;
/// moves of the last ply are counted without being played.
fn count<R: Ruleset>(position: &Position, lists: &mut [MoveList]) -> u64 {
    let [moves, deeper @ ..] = lists else {
        return 0;
    };
    let mut leaves = 0;
    for mv in &*moves {
        let [replies, rest @ ..] = deeper else {
            return moves.len() as u64;
        };
        let next = position.play_by::<R>(mv);
        generate::<R>(&next, replies);
        leaves += if rest.is_empty() {
            replies.len() as u64
        } else {
            count::<R>(&next, deeper)
        };
    }
    leaves
}
