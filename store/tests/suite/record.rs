//! Records round-trip, and nothing else is accepted.

use crate::support::{MAX_PLIES, id, record, record_from};
use proptest::prelude::*;
use rules::{Color, DrawReason, Outcome, Position, Variant, WinReason};
use store::{Policy8, Record, RecordedSearch, Wdl8};

fn variants() -> impl Strategy<Value = Variant> {
    prop::sample::select(Variant::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn records_come_back(variant in variants(), seed: u64, generation: u32, number: u32) {
        let record = record(variant, id(generation, number), seed, MAX_PLIES);
        let bytes = record.encode().unwrap();
        prop_assert_eq!(Record::decode(&bytes).unwrap(), record);
    }

    #[test]
    fn records_from_any_position_come_back(variant in variants(), seed: u64, skipped in 1_usize..60) {
        let before = record(variant, id(1, 1), seed, skipped);
        let start = before.plies.iter().fold(before.start, |position, ply| position.play(ply.mv));
        let record = record_from(start, id(1, 2), seed, MAX_PLIES);
        prop_assert_eq!(Record::decode(&record.encode().unwrap()).unwrap(), record);
    }

    #[test]
    fn no_part_of_a_record_is_a_record(variant in variants(), seed: u64) {
        let bytes = record(variant, id(3, 4), seed, 20).encode().unwrap();
        for length in 0..bytes.len() {
            prop_assert!(Record::decode(&bytes[..length]).is_err());
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        let error = Record::decode(&longer).unwrap_err().to_string();
        prop_assert_eq!(error, "1 bytes follow the last ply");
    }

    #[test]
    fn changed_bytes_are_errors_or_other_legal_games(
        variant in variants(),
        seed: u64,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = record(variant, id(3, 4), seed, MAX_PLIES).encode().unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(record) = Record::decode(&bytes) {
            let again = record.encode().unwrap();
            prop_assert_eq!(Record::decode(&again).unwrap(), record);
        }
    }

    #[test]
    fn any_bytes_are_refused_politely(bytes: Vec<u8>) {
        let version_1 = [&[1], bytes.as_slice()].concat();
        prop_assert!(Record::decode(&bytes).is_err());
        prop_assert!(Record::decode(&version_1).is_err());
    }
}

fn example() -> Record {
    let record = record(Variant::English, id(1, 7), 1, MAX_PLIES);
    assert!(record.result.is_some());
    record
}

fn refused(change: impl FnOnce(&mut Record)) -> String {
    let mut record = example();
    change(&mut record);
    record.encode().unwrap_err().to_string()
}

#[test]
fn faulty_games_are_refused_with_the_reason() {
    let cut = refused(|record| record.plies.truncate(10));
    assert!(
        cut.starts_with("the recorded result is ") && cut.ends_with("the moves give `truncated`"),
        "{cut}"
    );

    let open = refused(|record| record.result = None);
    assert!(
        open.starts_with("the recorded result is `truncated`, but the moves give "),
        "{open}"
    );

    let longer = refused(|record| record.plies.push(record.plies[0].clone()));
    assert!(longer.contains("the game is already over ("), "{longer}");

    let illegal = refused(|record| record.plies.swap(4, 5));
    assert!(
        illegal.starts_with("ply 4: ") && illegal.contains("is not a legal move"),
        "{illegal}"
    );

    let forced = refused(|record| record.plies[0].search = RecordedSearch::Forced { value: None });
    assert_eq!(
        forced,
        "ply 0: the move is marked as forced, but there are 7 legal moves"
    );

    let policy = refused(|record| {
        let moves = Position::start(Variant::English).legal_moves();
        record.plies[0].search = RecordedSearch::Full {
            value: Wdl8::DRAW,
            raw_value: Wdl8::DRAW,
            surprise: store::Surprise::new(0.0),
            policy: Policy8::new(&moves[..3], &[1.0; 3]),
        };
    });
    assert_eq!(
        policy,
        "ply 0: the policy has 3 moves, but there are 7 legal moves"
    );

    let rules = refused(|record| record.header.rules_version += 1);
    assert!(
        rules.starts_with("the game was played by version 2 of the rules of english"),
        "{rules}"
    );

    let variant = refused(|record| record.header.variant = Variant::Thai);
    assert_eq!(
        variant,
        "the start position is of english, but the header says thai"
    );
}

#[test]
fn only_open_games_are_adjudicated() {
    let results = [
        Outcome::Win(Color::Black, WinReason::Adjudicated),
        Outcome::Win(Color::White, WinReason::Adjudicated),
        Outcome::Draw(DrawReason::Adjudicated),
    ];
    for result in results {
        let mut open = example();
        open.plies.truncate(10);
        open.result = Some(result);
        assert_eq!(Record::decode(&open.encode().unwrap()).unwrap(), open);

        let over = refused(|record| record.result = Some(result));
        assert!(
            over.starts_with("the recorded result is `adjudicated`, but the moves give "),
            "{over}"
        );
    }
    let resigned = refused(|record| {
        record.plies.truncate(10);
        record.result = Some(Outcome::Win(Color::Black, WinReason::Resigned));
    });
    assert!(
        resigned.ends_with("the moves give `truncated`"),
        "{resigned}"
    );
}

#[test]
fn later_versions_are_refused() {
    let mut bytes = example().encode().unwrap();
    bytes[0] = 2;
    let message = Record::decode(&bytes).unwrap_err().to_string();
    assert_eq!(
        message,
        "format version 2 is unknown: this program reads versions up to 1"
    );
}

#[test]
fn a_game_has_so_many_plies_at_most() {
    let mut record = record(Variant::English, id(1, 1), 1, 1);
    let mut of_length = |n_plies: usize| {
        record.plies.resize(n_plies, record.plies[0].clone());
        record.encode()
    };
    // All plies are the same move, which is rejected as well, but later.
    let error = |n_plies| of_length(n_plies).unwrap_err().to_string();
    let [longest, longer] = [65_535, 65_536].map(error);
    assert!(!longest.contains("a record holds at most"), "{longest}");
    assert_eq!(
        longer,
        "the game has 65536 plies: a record holds at most 65535"
    );
}
