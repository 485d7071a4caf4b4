//! Moves that win or lose material once all captures that follow are played out.
//!
//! Exchanges decide draughts games well before they appear on the board, and a network with few
//! layers cannot calculate them. The rules can, at less cost than the network.

use std::cell::RefCell;
use std::cmp::Ordering;

use rules::{Bitboard, Move, MoveList, Position};

/// The value of a man.
pub const MAN_WORTH: i32 = 2;

/// The value of a king.
pub const KING_WORTH: i32 = 5;

/// The maximum number of captures played out after a move; then the balance of the pieces counts.
pub const EXCHANGE_PLIES: u32 = 8;

thread_local! {
    /// Move lists for each ply, kept because allocating one takes longer than filling it.
    static LISTS: RefCell<[MoveList; 1 + EXCHANGE_PLIES as usize]> = const {
        RefCell::new([const { MoveList::new() }; 1 + EXCHANGE_PLIES as usize])
    };
}

/// The squares of the legal moves, grouped by material outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchanges {
    /// `[index of the outcome]`
    pub(super) origins: [Bitboard; 3],
    pub(super) destinations: [Bitboard; 3],
}

impl Exchanges {
    /// Computes the exchanges of a position.
    pub(super) fn new(position: &Position) -> Self {
        LISTS.with_borrow_mut(|[moves, lists @ ..]| {
            let mut exchanges = Self::default();
            position.generate(moves);
            for mv in &*moves {
                let outcome = index(outcome(position, mv, lists));
                exchanges.origins[outcome] |= mv.from.bit();
                exchanges.destinations[outcome] |= mv.to.bit();
            }
            exchanges
        })
    }
}

/// The index of moves that lose, do neither or win.
pub(super) fn index(outcome: Ordering) -> usize {
    match outcome {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    }
}

/// The effect of a move on the material balance once captures are played out. Promotion counts as a
/// gain.
fn outcome(position: &Position, mv: &Move, lists: &mut [MoveList]) -> Ordering {
    let next = position.play(*mv);
    let gain = gain(position, mv, &next);
    // Only the sign matters.
    (-settled(&next, -gain, [-1, 1], lists)).cmp(&0)
}

/// The gain of the side to move, starting from `balance`, when both sides capture optimally and may
/// stop if no capture is mandatory: exact inside the window, otherwise a bound. Captures are played
/// out for as many plies as there are lists.
fn settled(
    position: &Position,
    balance: i32,
    [alpha, beta]: [i32; 2],
    lists: &mut [MoveList],
) -> i32 {
    let must_capture = position.variant().rules().capture_is_mandatory;
    if !must_capture && balance >= beta {
        return balance;
    }
    let [captures, lists @ ..] = lists else {
        return balance;
    };
    // There is rarely a capture, and a list costs more than this test.
    if !position.may_capture() {
        return balance;
    }
    position.generate_captures(captures);
    if captures.is_empty() {
        return balance;
    }
    let mut best = match must_capture {
        true => i32::MIN,
        false => balance,
    };
    for mv in &*captures {
        if best >= beta {
            break;
        }
        let next = position.play(*mv);
        let balance = balance + gain(position, mv, &next);
        let alpha = alpha.max(best);
        // The other side may decline, so the gain cannot exceed this.
        if !must_capture && balance <= alpha {
            continue;
        }
        best = best.max(-settled(&next, -balance, [-beta, -alpha], lists));
    }
    best
}

/// The immediate gain in material balance of a move from one position to the next, for its mover.
fn gain(position: &Position, mv: &Move, next: &Position) -> i32 {
    let kings = position.all_kings();
    let is_crowned = !kings.contains(mv.from) && next.all_kings().contains(mv.to);
    let mut gain = i32::from(is_crowned) * (KING_WORTH - MAN_WORTH);
    for square in mv.captured {
        gain += match kings.contains(square) {
            true => KING_WORTH,
            false => MAN_WORTH,
        };
    }
    gain
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_chacha::ChaCha8Rng;
    use rules::{Color, Game, Variant};

    use super::*;

    /// Origins and destinations of moves that lose, do neither, and win.
    fn squares(variant: Variant, fen: &str) -> [[Vec<usize>; 2]; 3] {
        let position = Position::from_fen(variant, fen).unwrap();
        let exchanges = Exchanges::new(&position);
        let numbers = |squares: Bitboard| {
            let squares = squares.iter();
            squares
                .map(|square| position.board().number(square))
                .collect()
        };
        [0, 1, 2].map(|outcome| {
            [exchanges.origins[outcome], exchanges.destinations[outcome]].map(numbers)
        })
    }

    fn none() -> [Vec<usize>; 2] {
        [Vec::new(), Vec::new()]
    }

    #[test]
    fn a_man_that_is_taken_is_lost_unless_it_is_taken_back() {
        let found = squares(Variant::English, "W:W22:B15");
        assert_eq!(found, [[vec![22], vec![18]], [vec![22], vec![17]], none()]);
        let found = squares(Variant::English, "W:W22,26,31:B15");
        let (origins, destinations) = (vec![22, 26, 31], vec![17, 18, 23, 27]);
        assert_eq!(found, [none(), [origins, destinations], none()]);
    }

    #[test]
    fn captures_and_crowning_win() {
        let found = squares(Variant::English, "B:W18:B14");
        assert_eq!(found, [none(), none(), [vec![14], vec![23]]]);
        let found = squares(Variant::English, "W:W8:B28");
        assert_eq!(found[2], [vec![8], vec![3, 4]]);
    }

    #[test]
    fn who_need_not_capture_may_stop() {
        // 22-18 offers one man for two: Black has to take with 15x22 25x18x9.
        let fen = "W:W22,23,25,29:B14,15";
        let [english, customary] =
            [Variant::English, Variant::Customary].map(|variant| squares(variant, fen));
        assert!(english[2][0].contains(&22) && english[2][1].contains(&18));
        assert_eq!(customary[2], none());
        assert!(customary[1][0].contains(&22) && customary[1][1].contains(&18));
    }

    /// The material balance of `us`.
    fn balance(position: &Position, us: Color) -> i32 {
        let worth = |color| {
            let army = position.army(color);
            MAN_WORTH * army.men as i32 + KING_WORTH * army.kings as i32
        };
        worth(us) - worth(!us)
    }

    /// The result of searching all lines.
    fn all_lines(position: &Position, plies: u32) -> i32 {
        let us = position.turn();
        let moves = position.legal_moves();
        let captures = moves.iter().filter(|mv| mv.is_capture() && plies > 0);
        let best = captures
            .map(|&mv| -all_lines(&position.play(mv), plies - 1))
            .max();
        match best {
            Some(best) if position.variant().rules().capture_is_mandatory => best,
            best => best.unwrap_or(i32::MIN).max(balance(position, us)),
        }
    }

    #[test]
    fn outcomes_are_those_of_all_lines() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut seen = [0; 3];
        for variant in Variant::ALL {
            for _ in 0..20 {
                let mut game = Game::new(Position::start(variant));
                for _ in 0..60 {
                    let Some(&mv) = game.legal_moves().choose(&mut rng) else {
                        break;
                    };
                    let position = game.position();
                    let before = balance(position, position.turn());
                    let after = -all_lines(&position.play(mv), EXCHANGE_PLIES);
                    let found =
                        LISTS.with_borrow_mut(|[_, lists @ ..]| outcome(position, &mv, lists));
                    assert_eq!(found, after.cmp(&before), "{variant} {position} {mv:?}");
                    seen[index(found)] += 1;
                    game.play(mv);
                }
            }
        }
        assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
    }
}
