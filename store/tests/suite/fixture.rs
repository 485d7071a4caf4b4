//! Files of every released format can still be read: `fixtures/v1/` holds segments and, as text,
//! their content. `cargo test --release -p crownhead-store --test suite fixture:: -- --ignored`
//! writes new ones; do that only for an unreleased format.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use crate::support::{id, record, record_from};
use rules::{Game, Variant};
use store::{Games, Record, RecordedSearch, Wdl8};

const VARIANTS: [Variant; 2] = [Variant::English, Variant::Frisian];

fn dir(variant: Variant) -> PathBuf {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1");
    fixtures.join(variant.name())
}

/// A record as text, independent of the program's data structures.
fn describe(record: &Record) -> String {
    let header = &record.header;
    let mut text = format!(
        "game {} of {} version {}, seed {}, network {}, configuration {:016x}\nfrom {}\n",
        header.id,
        header.variant,
        header.rules_version,
        header.seed,
        header.network,
        header.config_hash,
        record.start.to_fen(),
    );
    let mut game = Game::new(record.start);
    for ply in &record.plies {
        let mv = game.position().move_text(ply.mv);
        writeln!(text, "{mv} {}", describe_search(&ply.search)).unwrap();
        game.play(ply.mv);
    }
    let result = record.result.map_or("cut off", |outcome| outcome.reason());
    writeln!(text, "{result}\n").unwrap();
    text
}

fn describe_search(search: &RecordedSearch) -> String {
    match search {
        RecordedSearch::Opening => "opening".to_owned(),
        RecordedSearch::Forced { value: None } => "forced".to_owned(),
        RecordedSearch::Forced { value: Some(value) } => {
            format!("forced {}", describe_value(*value))
        }
        RecordedSearch::Fast { value } => format!("fast {}", describe_value(*value)),
        RecordedSearch::Full {
            value,
            raw_value,
            surprise,
            policy,
        } => format!(
            "full {} raw {} surprise {:.4} policy {:.4?}",
            describe_value(*value),
            describe_value(*raw_value),
            surprise.nats(),
            policy.probabilities(),
        ),
    }
}

fn describe_value(value: Wdl8) -> String {
    let [win, draw, loss] = value.probabilities();
    format!("{win:.4}/{draw:.4}/{loss:.4}")
}

#[test]
fn the_first_format_is_still_read() {
    for variant in VARIANTS {
        let generation = Games::new(&dir(variant), variant).read(1).unwrap();
        assert_eq!((generation.damage.len(), generation.n_duplicates), (0, 0));
        let text: String = generation.records.iter().map(describe).collect();
        let expected = fs::read_to_string(dir(variant).join("games.txt")).unwrap();
        assert!(text == expected, "{variant} reads as\n{text}");
    }
}

#[test]
#[ignore = "writes the fixtures"]
fn write_fixtures() {
    for variant in VARIANTS {
        let mut position = rules::Position::start(variant);
        for _ in 0..30 {
            position = position.play(position.legal_moves()[0]);
        }
        let records = [
            record(variant, id(1, 0), 20, 200),
            record_from(position, id(1, 1), 21, 20),
            record(variant, id(1, 2), 22, 10),
        ];
        let mut writer = Games::new(&dir(variant), variant).writer(1).unwrap();
        for record in &records {
            writer.append(record).unwrap();
        }
        writer.sync().unwrap();
        let text: String = records.iter().map(describe).collect();
        fs::write(dir(variant).join("games.txt"), text).unwrap();
    }
}
