//! Segments: no synced game is lost, whatever happens to the end of a file or to its bits.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{id, record};
use rules::Variant;
use store::{FinishedGames, Games, Record, SegmentLimits, pack_games, scan, unpack_games};

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
fn games_are_added_to_a_copy_of_what_another_run_may_have_too() {
    let [dir, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let segment = write(dir.path(), 0..3);
    let shared = other.path().join("000007-000.seg");
    fs::hard_link(&segment, &shared).unwrap();
    let recorded = fs::read(&segment).unwrap();
    write(other.path(), 2..6);
    assert_eq!(fs::read(&segment).unwrap(), recorded);
    assert!(fs::read(&shared).unwrap().starts_with(&recorded));
    assert_eq!(numbers(other.path()), (0..6).collect::<Vec<_>>());
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

    let dir = tempfile::tempdir().unwrap();
    let games = Games::new(dir.path(), VARIANT);
    let two_games = SegmentLimits {
        segment_bytes: 300,
        games_per_sync: 1,
    };
    let mut writer = games.writer_with(GENERATION, two_games).unwrap();
    for number in 0..8 {
        writer.append(&game(number)).unwrap();
    }
    for limit in 1..8 {
        let newest = (0..8).rev().take(limit).map(game);
        assert_eq!(games.newest(limit).unwrap(), newest.collect::<Vec<_>>());
    }
}

/// Each segment holds one game.
const ONE_GAME: SegmentLimits = SegmentLimits {
    segment_bytes: 1,
    games_per_sync: 2,
};

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
    let n_unfinished = sizes.iter().filter(|&&size| size < 300).count();
    assert!(n_unfinished <= 1, "{sizes:?}");
    let total: u64 = sizes.iter().sum();
    assert_eq!(games.size_bytes(GENERATION).unwrap(), total);
    assert_eq!(games.size_bytes(GENERATION + 1).unwrap(), 0);
    assert_eq!(numbers(dir.path()), (0..10).collect::<Vec<_>>());
}

#[test]
fn a_segment_of_its_full_size_takes_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 0..2);
    let games = Games::new(dir.path(), VARIANT);
    let size = fs::metadata(&path).unwrap().len();
    for (segment_bytes, n_segments) in [(size + 1, 1), (size, 2)] {
        let limits = SegmentLimits {
            segment_bytes,
            ..ONE_GAME
        };
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(size)
            .unwrap();
        let mut writer = games.writer_with(GENERATION, limits).unwrap();
        writer.append(&game(2)).unwrap();
        let check = games.check(&FinishedGames::default()).unwrap();
        assert_eq!(check.segments, n_segments);
        assert_eq!(numbers(dir.path()), [0, 1, 2]);
    }
}

#[test]
fn games_travel_in_one_piece() {
    let records = [0, 1, 2].map(game);
    let bytes = pack_games(VARIANT, &records).unwrap();
    assert_eq!(unpack_games(VARIANT, &bytes).unwrap(), records);
    let none = pack_games(VARIANT, &[]).unwrap();
    assert_eq!(unpack_games(VARIANT, &none).unwrap(), []);
    let message = unpack_games(Variant::Thai, &bytes).unwrap_err().to_string();
    assert_eq!(message, "this is a game of frisian, not of thai");
    for byte in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[byte] ^= 2;
        assert!(unpack_games(VARIANT, &bytes).is_err(), "byte {byte}");
    }
    for length in 0..bytes.len() {
        let is_whole = scan(&bytes[..length]).is_intact() && length >= none.len();
        assert_eq!(unpack_games(VARIANT, &bytes[..length]).is_ok(), is_whole);
    }
}

#[test]
fn an_examination_tells_what_it_has_found() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), [0, 2, 3, 5]);
    let games = Games::new(dir.path(), VARIANT);
    let finished = |n| FinishedGames {
        games: [vec![0; 6], vec![n]].concat(),
    };
    let whole = games.check(&finished(1)).unwrap();
    assert_eq!(whole.n_faults(), 0);
    let incomplete = games.check(&finished(9)).unwrap();
    assert_eq!(incomplete.n_faults(), 1);
    let bytes = fs::metadata(&path).unwrap().len();
    assert_eq!(
        incomplete.to_string(),
        format!(
            "1 segments, {bytes} bytes: 4 intact games, 24 positions\n\
             generation 7: 5 games are missing: 1, 4, 6 to 8\n"
        )
    );
    let copy = dir.path().join("000007-001.seg");
    fs::copy(&path, &copy).unwrap();
    let mut damaged = fs::read(&path).unwrap();
    let last = scan(&damaged).frames[3].clone();
    damaged[last.start] ^= 1;
    fs::write(&path, &damaged).unwrap();
    fs::write(
        dir.path().join("000008-000.seg"),
        pack_games(Variant::Thai, &[]).unwrap(),
    )
    .unwrap();
    let mut check = games.check(&FinishedGames::default()).unwrap();
    assert_eq!(check.n_faults(), 2);
    check.set_aside = true;
    let (start, length) = (last.start - 8, last.len() + 8);
    let [path, other] = [path, dir.path().join("000008-000.seg")].map(|p| p.display().to_string());
    assert_eq!(
        check.to_string(),
        format!(
            "3 segments, {} bytes: 4 intact games, 24 positions\n\
             3 duplicate games\n\
             {path}: {length} bytes at {start} are damaged, games lost: 1\n\
             {other} is not a segment of this run: its games are thai, not frisian\n\
             the damaged bytes were moved to games/damaged\n",
            2 * bytes
        )
    );
    fs::remove_file(other).unwrap();
    fs::remove_file(copy).unwrap();
    let damaged = games.check(&FinishedGames::default()).unwrap();
    assert_eq!((damaged.n_faults(), damaged.errors.len()), (1, 0));
}

#[test]
fn many_gaps_are_not_all_named() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), (1..=16).step_by(2));
    let games = Games::new(dir.path(), VARIANT);
    for (n_games, expected) in [
        (16, "0, 2, 4, 6, 8, 10, 12, 14\n"),
        (19, "0, 2, 4, 6, 8, 10, 12, 14 and others\n"),
    ] {
        let finished = FinishedGames {
            games: [vec![0; 6], vec![n_games]].concat(),
        };
        let report = games.check(&finished).unwrap().to_string();
        assert!(report.ends_with(expected), "{report}");
    }
}

#[test]
fn damage_at_the_same_place_is_kept_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), 0..3);
    let whole = fs::read(&path).unwrap();
    let first = scan(&whole).frames[0].clone();
    for bit in [1, 2, 4, 1] {
        let mut bytes = whole.clone();
        bytes[first.start] ^= bit;
        fs::write(&path, &bytes).unwrap();
        Games::new(dir.path(), VARIANT).writer(GENERATION).unwrap();
    }
    let offset = first.start - 8;
    let names = ["", "-2", "-3"].map(|n| format!("000007-000.seg@{offset}{n}.bin"));
    for (name, bit) in names.iter().zip([1, 2, 4]) {
        let kept = fs::read(dir.path().join("damaged").join(name)).unwrap();
        assert_eq!(kept[8], whole[first.start] ^ bit);
    }
    let n_kept = fs::read_dir(dir.path().join("damaged")).unwrap().count();
    assert_eq!(n_kept, names.len());
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
