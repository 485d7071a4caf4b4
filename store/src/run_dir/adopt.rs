//! Takes over data of another run.
//!
//! Files that never change again are hard links if the file system supports them: taking over a run
//! of hours costs neither time nor space, and the new run stays complete when the other one is
//! deleted. Otherwise the files are copied. Games, models and gates of finished generations are
//! such files: appending to an earlier segment, or repairing a damaged one, writes a new file; only
//! a torn end is cut off in place.

use std::path::Path;

use super::{GAMES, GATES, METRICS, MODELS, RunDir, RunWriter};
use crate::atomic;
use crate::disk;
use crate::error::Result;
use crate::ids::{ModelId, TrainId};
use crate::metrics;

/// Maximum size in bytes of a file that is copied because it cannot be linked.
const MAX_BYTES: u64 = 1 << 30;

impl RunWriter {
    /// Takes over the games of all generations up to `last`.
    pub fn adopt_games(&self, from: &RunDir, last: u32) -> Result<()> {
        for segment in from.segments(..=last)? {
            let name = atomic::file_name(&segment);
            link(&segment, &self.path.join(GAMES).join(name))?;
        }
        atomic::sync_dir(&self.path.join(GAMES))
    }

    /// Takes over the models up to `last` with their gate reports, and the curves up to that point.
    pub fn adopt_models(&self, from: &RunDir, last: ModelId) -> Result<()> {
        let models = from.models()?.into_iter().filter(|model| *model <= last);
        for model in models {
            let place = self.path.join(MODELS).join(model.to_string());
            if !place.exists() {
                let source = from.model(model)?;
                atomic::create_dir(&place, |dir| link_all(&source, dir))?;
            }
            let (gate, name) = (from.gate_path(model), format!("{model}.json"));
            if gate.exists() {
                link(&gate, &self.path.join(GATES).join(name))?;
            }
        }
        atomic::sync_dir(&self.path.join(GATES))?;
        let mut lines = from.metrics()?;
        lines.retain(|line| line.generation <= last.0);
        metrics::write(&self.path.join(METRICS), &lines)
    }

    /// Takes over a training state, which counts once a state with its new number has been
    /// committed.
    pub fn adopt_train(&self, from: &RunDir, train: TrainId) -> Result<TrainId> {
        let source = from.train_path(train);
        self.save_train(|dir| link_all(&source, dir))
    }
}

/// Links all files of a directory into another.
fn link_all(from: &Path, to: &Path) -> Result<()> {
    let files = atomic::entries(from)?;
    files
        .iter()
        .try_for_each(|file| link(file, &to.join(atomic::file_name(file))))
}

/// Creates a hard link to a file, or a copy if that is impossible; an existing file stays.
fn link(from: &Path, to: &Path) -> Result<()> {
    if to.exists() || disk::hard_link(from, to).is_ok() {
        return Ok(());
    }
    copy(from, to)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    atomic::write_file(to, &atomic::read_bounded(from, MAX_BYTES)?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::error::StoreError;
    use crate::metrics::{MetricLine, MetricWriter};

    #[test]
    fn what_cannot_be_linked_is_copied_up_to_a_limit() {
        let dir = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| dir.path().join(name));
        fs::write(&from, "weights").unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"weights");
        let file = fs::File::create(&from).unwrap();
        file.set_len(MAX_BYTES + 1).unwrap();
        let refused = copy(&from, &to);
        assert!(matches!(refused, Err(StoreError::TooLarge { .. })));
        assert_eq!(fs::read(&to).unwrap(), b"weights");
    }

    #[test]
    fn finished_generations_are_taken_over_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let old = RunWriter::create(&dir.path().join("old"), "").unwrap();
        for number in [0, 1, 2] {
            let text = format!("weights {number}");
            old.save_model(ModelId(number), |dir| fs::write(dir.join("w"), &text))
                .unwrap();
            old.write_gate(ModelId(number), &number).unwrap();
            let segment = old.games_path().join(format!("{number:06}-000.seg"));
            fs::write(segment, &text).unwrap();
        }
        let (mut metrics, _) = MetricWriter::open(&old, |_| true).unwrap();
        for generation in [0, 1, 2] {
            let line = MetricLine {
                step: 0,
                generation,
                time: 0.0,
                values: Default::default(),
            };
            metrics.write(&line).unwrap();
        }
        fs::write(old.games_path().join("notes"), "").unwrap();
        let train = old
            .save_train(|dir| fs::write(dir.join("t"), "moments"))
            .unwrap();
        let new = RunWriter::create(&dir.path().join("new"), "").unwrap();
        // A second call, as after a crash, changes nothing.
        for _ in 0..2 {
            new.adopt_games(&old, 1).unwrap();
            new.adopt_models(&old, ModelId(1)).unwrap();
        }
        #[cfg(unix)]
        for name in [
            "games/000001-000.seg",
            "models/000001/w",
            "gates/000001.json",
        ] {
            use std::os::unix::fs::MetadataExt as _;
            let [there, here] =
                [&old, &new].map(|run| fs::metadata(run.path().join(name)).unwrap());
            assert_eq!(here.ino(), there.ino(), "{name} takes no space");
        }
        let generations = new
            .metrics()
            .unwrap()
            .into_iter()
            .map(|line| line.generation);
        assert_eq!(generations.collect::<Vec<_>>(), [0, 1]);
        assert_eq!(new.models().unwrap(), [ModelId(0), ModelId(1)]);
        assert_eq!(new.gate::<u32>(ModelId(1)).unwrap(), Some(1));
        assert_eq!(new.gate::<u32>(ModelId(2)).unwrap(), None);
        assert_eq!(atomic::entries(&new.games_path()).unwrap().len(), 2);
        let adopted = new.adopt_train(&old, train).unwrap();
        fs::remove_dir_all(old.path()).unwrap();
        let model = new.model(ModelId(1)).unwrap().join("w");
        assert_eq!(fs::read_to_string(model).unwrap(), "weights 1");
        let moments = new.train_path(adopted).join("t");
        assert_eq!(fs::read_to_string(moments).unwrap(), "moments");
    }
}
