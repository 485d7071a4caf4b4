//! Compares settled values with exact play under the counters.

use std::collections::HashMap;

use endgame::{Database, GameValue, Material};
use rules::{Army, Outcome, Position, Variant};

use crate::support::{build, position};

/// The value of a position under all rules except repetition, by exhaustive search. Lines end
/// because the counter grows, the number of pieces falls, or men advance.
fn true_value(position: &Position, known: &mut HashMap<(u64, u32), GameValue>) -> GameValue {
    let key = (position.hash(), position.no_progress());
    if let Some(value) = known.get(&key) {
        return *value;
    }
    let value = match position.outcome() {
        Some(Outcome::Draw(_)) => GameValue::Draw,
        Some(Outcome::Win(winner, _)) if winner == position.turn() => GameValue::Win,
        Some(_) => GameValue::Loss,
        None => {
            let moves = position.legal_moves();
            let values = moves
                .iter()
                .map(|&mv| true_value(&position.play(mv), known).before_the_move());
            values.max().unwrap()
        }
    };
    known.insert(key, value);
    value
}

/// Sampled positions with a counter that leaves this many plies. On large boards only positions
/// without men, whose moves would reset the counter and create too many lines.
fn late(database: &Database, plies_left: u32, n: usize) -> Vec<Position> {
    let variant = database.variant();
    let counter = variant.rules().draws.no_progress - plies_left;
    let sample = database.sample(n, 3);
    let with_counter = |solved: &endgame::Solved| {
        let setup = rules::Setup {
            no_progress: counter as u16,
            ..solved.position.setup()
        };
        Position::new(variant, &setup).unwrap()
    };
    let is_small = |position: &Position| {
        variant.board().n_squares() <= 32 || position.occupied() == position.all_kings()
    };
    sample.iter().map(with_counter).filter(is_small).collect()
}

#[test]
fn settled_values_are_true_under_the_counters() {
    let (mut n_settled, mut n_open) = (0, 0);
    for variant in Variant::GAMES {
        let database = build(variant, 2);
        let mut known = HashMap::new();
        for plies_left in [1, 3, 6] {
            for position in late(&database, plies_left, 30) {
                match database.settled(&position) {
                    Some(settled) => {
                        n_settled += 1;
                        let value = true_value(&position, &mut known);
                        assert_eq!(settled.value, value, "{variant} {position}");
                    }
                    None => n_open += 1,
                }
            }
        }
    }
    assert!(n_settled > 100 && n_open > 20, "{n_settled} {n_open}");
}

#[test]
fn counters_and_special_rules_unsettle() {
    let english = build(Variant::English, 3);
    let settled = |fen| english.settled(&position(Variant::English, fen));
    let fresh = settled("W:WK14,K15:BK1:H0").unwrap();
    assert_eq!(fresh.value, GameValue::Win);
    let longest = |own: (usize, usize), enemy: (usize, usize)| {
        let army = |(men, kings)| Army { men, kings };
        let material = Material {
            own: army(own),
            enemy: army(enemy),
        };
        let slices = english.slices().iter();
        let mut slices = slices.filter(|slice| slice.material() == material);
        slices.next().unwrap().longest()
    };
    // Until the next capture or promotion, and then in the longest successor.
    let kings = longest((0, 1), (0, 1));
    assert_eq!(fresh.plies, longest((0, 2), (0, 1)) + kings);
    let is_man_against_king = |position: &Position| {
        let (own, enemy) = (position.turn(), !position.turn());
        let kings = |color| position.kings(color).count();
        position.occupied().count() == 2 && kings(own) == 0 && kings(enemy) == 1
    };
    let sample = english.sample(600, 3);
    let decided = sample
        .iter()
        .filter(|solved| solved.value != GameValue::Draw);
    let mut decided = decided.map(|solved| solved.position);
    let man = decided.find(is_man_against_king).unwrap();
    let plies = english.settled(&man).unwrap().plies;
    assert_eq!(plies, longest((1, 0), (0, 1)) + kings);
    assert_eq!(settled("W:WK14,K15:BK1:H20"), Some(fresh), "in time");
    assert_eq!(settled("W:WK14,K15:BK1:H79"), None, "too late");
    assert_eq!(settled("B:WK14,K15:BK1:H79"), None, "too late");
    let draw = settled("W:WK23:BK32:H79").unwrap();
    assert_eq!(draw.value, GameValue::Draw, "more draws change no draw");

    // A man and a king, where the man promotes before anything is captured.
    let mixed = settled("W:WK14,22:BK1").expect("no king has to rest");
    let crowned = longest((0, 2), (0, 1)).max(longest((0, 1), (0, 2)));
    assert_eq!(mixed.plies, longest((1, 1), (0, 1)) + crowned + kings);

    let frisian = build(Variant::Frisian, 3);
    let settled = |fen| frisian.settled(&position(Variant::Frisian, fen));
    // Two kings against one have 14 plies (4.8), and some wins take all of them.
    let mixed = settled("W:WK46,31:BK5").unwrap();
    assert_eq!(mixed.value, GameValue::Win);
    let two_kings = settled("W:WK14,K45:BK1").unwrap();
    assert_eq!(two_kings.value, GameValue::Win);
    assert!(two_kings.plies >= 14, "{two_kings:?}");
    assert_eq!(settled("W:WK14,K45:BK1:H1"), None);
    // Without these rules the win takes at most 50 plies.
    let plain = build(Variant::FrisianPlain, 3);
    let two_kings = position(Variant::FrisianPlain, "W:WK14,K45:BK1");
    assert_eq!(
        plain.settled(&two_kings).map(|settled| settled.value),
        Some(GameValue::Win)
    );
}

/// Frisian with three pieces, directly after progress: every value is settled.
#[test]
fn frisian_is_settled_with_all_its_counters() {
    let database = build(Variant::Frisian, 3);
    let mut n_resting = 0;
    for solved in database.sample(600, 5) {
        let position = solved.position;
        let settled = database.settled(&position).expect("it is after progress");
        assert_eq!(settled.value, solved.value, "{position}");
        n_resting += usize::from(!position.resting_king(position.turn()).is_empty());
    }
    assert!(n_resting > 10, "{n_resting}");
}
