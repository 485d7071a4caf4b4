//! Data that a process takes over is synced before it counts: its writer may have been killed
//! before syncing.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::support::{id, record};
use rules::Variant;
use store::disk::{Disk, Operation, StandIn};
use store::{Games, ModelId, RunWriter, SegmentLimits};

const VARIANT: Variant = Variant::Frisian;

/// A disk that records syncs.
#[derive(Default)]
struct Notes(Mutex<Vec<PathBuf>>);

impl Notes {
    fn synced(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap().clone()
    }
}

impl Disk for Notes {
    fn perform(
        &self,
        operation: Operation<'_>,
        really: &mut dyn FnMut(usize) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if let Operation::Sync(path) = operation {
            self.0.lock().unwrap().push(path.to_owned());
        }
        really(usize::MAX)
    }
}

#[test]
fn games_of_a_generation_that_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let games = Games::new(dir.path(), VARIANT);
    let full_at_once = SegmentLimits {
        segment_bytes: 1,
        games_per_sync: 2,
    };
    let mut writer = games.writer_with(1, full_at_once).unwrap();
    for number in 0..2 {
        writer
            .append(&record(VARIANT, id(1, number), 5, 6))
            .unwrap();
    }
    let notes = Arc::new(Notes::default());
    let _stand_in = StandIn::new(dir.path(), notes.clone());
    let _writer = games.writer_with(1, full_at_once).unwrap();
    let synced = notes.synced();
    for name in ["000001-000.seg", "000001-001.seg", ""] {
        let path = dir.path().join(name);
        assert!(synced.contains(&path), "{name:?} of {synced:?}");
    }
}

#[test]
fn games_as_often_as_they_are_to_be_synced() {
    let dir = tempfile::tempdir().unwrap();
    let games = Games::new(dir.path(), VARIANT);
    let every_third = SegmentLimits {
        segment_bytes: 1 << 20,
        games_per_sync: 3,
    };
    let mut writer = games.writer_with(1, every_third).unwrap();
    let path = dir.path().join("000001-000.seg");
    let notes = Arc::new(Notes::default());
    let _stand_in = StandIn::new(dir.path(), notes.clone());
    let n_synced = || {
        notes
            .synced()
            .iter()
            .filter(|synced| **synced == path)
            .count()
    };
    for (number, expected) in (0..7).zip([0, 0, 1, 1, 1, 2, 2]) {
        let game = record(VARIANT, id(1, number), 5, 6);
        writer.append(&game).unwrap();
        assert_eq!(n_synced(), expected, "after game {number}");
    }
    writer.sync().unwrap();
    assert_eq!(n_synced(), 3);
}

#[test]
fn models_and_what_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(&dir.path().join("run"), "").unwrap();
    let notes = Arc::new(Notes::default());
    let _stand_in = StandIn::new(run.path(), notes.clone());
    run.save_model(ModelId(1), |model| {
        fs::create_dir(model.join("inner"))?;
        fs::write(model.join("inner/w"), "weights")
    })
    .unwrap();
    let model = run.model(ModelId(1)).unwrap();
    run.set_aside().take(&model, "a test").unwrap();
    let aside = run.moved()[0].to.clone();
    let synced = notes.synced();
    let models = run.path().join("models");
    let new = models.join(".tmp-000001");
    for path in [new.join("inner/w"), new.join("inner"), new, models.clone()] {
        assert!(synced.contains(&path), "{} of {synced:?}", path.display());
    }
    assert_eq!(
        synced[synced.len() - 2..],
        [aside.parent().unwrap(), &*models]
    );
}

#[test]
fn games_and_gates_of_another_run() {
    let dir = tempfile::tempdir().unwrap();
    let old = RunWriter::create(&dir.path().join("old"), "").unwrap();
    old.save_model(ModelId(1), |model| fs::write(model.join("w"), "weights"))
        .unwrap();
    old.write_gate(ModelId(1), &1).unwrap();
    fs::write(old.games_path().join("000001-000.seg"), "games").unwrap();
    let new = RunWriter::create(&dir.path().join("new"), "").unwrap();
    let notes = Arc::new(Notes::default());
    let _stand_in = StandIn::new(new.path(), notes.clone());
    new.adopt_games(&old, 1).unwrap();
    new.adopt_models(&old, ModelId(1)).unwrap();
    let synced = notes.synced();
    for name in ["games", "models", "gates"] {
        let path = new.path().join(name);
        assert!(synced.contains(&path), "{name} of {synced:?}");
    }
}
