//! Segments: no synced game is lost, whatever happens to the end of a file or to its bits.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use rules::Variant;
use store::{FinishedGames, Games, Record, SegmentLimits, scan};
use support::{id, record};

const VARIANT: Variant = Variant::Frisian;
const GENERATION: u32 = 7;

fn game(number: u32) -> Record {
    record(VARIANT, id(GENERATION, number), 5, 6)
}

fn write(dir: &Path, numbers: impl IntoIterator<Item = u32>) -> PathBuf {
    let mut writer = Games::new(dir, VARIANT).writer(GENERATION).unwrap();
    for number in numbers {
        writer.append(&game(number)).unwrap();
    }
    writer.sync().unwrap();
    dir.join("000007-000.seg")
}

fn numbers(dir: &Path) -> Vec<u32> {
    let generation = Games::new(dir, VARIANT).read(GENERATION).unwrap();
    generation
        .records
        .iter()
        .map(|record| record.header.id.number)
        .collect()
}

#[test]
fn games_come_back_in_order_and_once() {
    let dir = tempfile::tempdir().unwrap();
    let games = Games::new(dir.path(), VARIANT);
    write(dir.path(), [2, 0, 5]);
    let mut writer = games.writer(GENERATION).unwrap();
    assert_eq!(
        writer.numbers().iter().copied().collect::<Vec<_>>(),
        [0, 2, 5]
    );
    assert!(!writer.append(&game(2)).unwrap());
    assert!(writer.append(&game(1)).unwrap());
    assert!(!writer.append(&game(1)).unwrap());
    let generation = games.read(GENERATION).unwrap();
    assert_eq!(generation.records, [0, 1, 2, 5].map(game));
    assert_eq!((generation.n_duplicates, generation.damage.len()), (0, 0));
    assert_eq!(games.generations().unwrap(), [GENERATION]);
}

#[test]
fn the_newest_games_come_first() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0..6);
    let games = Games::new(dir.path(), VARIANT);
    let newest = |limit| games.newest(limit).unwrap();
    assert_eq!(newest(2), [5, 4].map(game));
    assert_eq!(newest(9).len(), 6);
    assert_eq!(newest(0), []);
}

#[test]
fn a_game_in_two_segments_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let first = write(dir.path(), [0, 1]);
    fs::copy(first, dir.path().join("000007-001.seg")).unwrap();
    let generation = Games::new(dir.path(), VARIANT).read(GENERATION).unwrap();
    assert_eq!((generation.records.len(), generation.n_duplicates), (2, 2));
}

#[test]
fn segments_are_finished_at_their_size() {
    let dir = tempfile::tempdir().unwrap();
    let games = Games::new(dir.path(), VARIANT);
    let limits = SegmentLimits {
        segment_bytes: 300,
        games_per_sync: 2,
    };
    for batch in [0..5, 5..10] {
        let mut writer = games.writer_with(GENERATION, limits).unwrap();
        for number in batch {
            writer.append(&game(number)).unwrap();
        }
    }
    let sizes: Vec<u64> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .collect();
    assert!(
        sizes.len() > 2 && sizes.iter().all(|&size| size < 600),
        "{sizes:?}"
    );
    assert_eq!(numbers(dir.path()), (0..10).collect::<Vec<_>>());
}

/// The power may fail, or the process be killed, at any byte.
#[test]
fn a_segment_cut_off_anywhere_keeps_every_game_before() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 0..4);
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = scan(&whole).frames.iter().map(|frame| frame.end).collect();
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let n_whole = ends.iter().filter(|&&end| end <= length).count() as u32;
        let expected: Vec<u32> = (0..n_whole).collect();
        assert_eq!(
            numbers(dir.path()),
            expected,
            "reading after {length} bytes"
        );

        let mut writer = Games::new(dir.path(), VARIANT).writer(GENERATION).unwrap();
        let torn: u64 = writer.damage().iter().map(|damage| damage.size_bytes).sum();
        let is_boundary = length == 32 || ends.contains(&length);
        assert_eq!(
            torn == 0,
            is_boundary || length == 0,
            "{torn} bytes torn after {length}"
        );
        assert!(writer.append(&game(9)).unwrap());
        drop(writer);
        let after: Vec<u32> = expected.into_iter().chain([9]).collect();
        assert_eq!(numbers(dir.path()), after, "going on after {length} bytes");
        assert!(scan(&fs::read(&path).unwrap()).is_intact());
    }
}

#[test]
fn a_damaged_game_is_set_aside_and_the_others_stay() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 0..4);
    let whole = fs::read(&path).unwrap();
    let second = scan(&whole).frames[1].clone();
    for flipped in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[flipped] ^= 0x40;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(
            Games::new(dir.path(), VARIANT)
                .check(&FinishedGames::default())
                .unwrap()
                .damage
                .len(),
            1
        );
        let writer = Games::new(dir.path(), VARIANT).writer(GENERATION).unwrap();
        let damage = &writer.damage()[0];
        let is_header = flipped < 32;
        assert_eq!(damage.n_games == 0, is_header);
        assert_eq!(writer.numbers().len(), if is_header { 4 } else { 3 });
        assert!(scan(&fs::read(&path).unwrap()).is_intact());
        if !damage.is_tail {
            let name = format!("damaged/000007-000.seg@{}.bin", damage.offset);
            let kept = fs::read(dir.path().join(name)).unwrap();
            assert_eq!(kept.len() as u64, damage.size_bytes);
        }
        if second.contains(&flipped) {
            assert_eq!(numbers(dir.path()), [0, 2, 3]);
        }
    }
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 0..2);
    let before = fs::read(&path).unwrap();
    let other = Games::new(dir.path(), Variant::Thai);
    let message = other.writer(GENERATION).err().unwrap().to_string();
    assert!(
        message.ends_with("its games are frisian, not thai"),
        "{message}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);

    let message = other
        .writer(8)
        .unwrap()
        .append(&game(0))
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "game 7/0 cannot be stored: this is a game of frisian, not of thai"
    );
    let games = Games::new(dir.path(), VARIANT);
    let message = games
        .writer(8)
        .unwrap()
        .append(&game(0))
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "game 7/0 cannot be stored: this is a game of generation 7, not of 8"
    );
}
