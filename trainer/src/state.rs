//! The complete training state in one safetensors file.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use model::backend::{LearnerShape, LearnerState};
use model::{Compute, ModelConfig};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use store::{Misfit, RunId, StoreError};
use xxhash_rust::xxh3::Xxh3;

use crate::trainer::Progress;
use crate::{TrainConfig, TrainError, Trainer};

/// The file's name in the state directory.
const FILE: &str = "trainer.safetensors";

/// The maximum size of the file besides the vectors.
const MAX_HEADER_BYTES: u64 = 1 << 16;

/// The maximum number of outputs of heads that no longer exist. States of earlier versions may end
/// with the heads `short_values` and `plies_left`, which read the same summary of the position as
/// the value head.
const MAX_RETIRED_OUTPUTS: usize = 100;

/// The key of the progress in the file's metadata; a single key, so that equal states give equal
/// files.
const PROGRESS: &str = "progress";

/// The version of the file's contents. Version 1, which is still read, had neither run nor
/// checksum.
const VERSION: u32 = 2;

/// The contents of the file besides tensors.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    progress: Progress,
    optimiser_updates: u64,
    average_updates: u64,
    /// The run that the state belongs to, if the run has an identity.
    #[serde(default)]
    run: Option<RunId>,
    /// XXH3 of the vectors and of this header without the checksum.
    #[serde(default)]
    checksum: Option<String>,
}

/// The version field, parsed first because newer headers may have other fields.
#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}

impl Header {
    /// The checksum of a state with this header.
    fn checksum_of(&self, state: &LearnerState) -> String {
        let mut hash = Xxh3::new();
        let numbers = [
            self.progress.step,
            self.progress.skipped,
            self.progress.skipped_in_a_row,
            self.optimiser_updates,
            self.average_updates,
            self.run.map_or(0, |run| run.0),
        ];
        numbers
            .iter()
            .for_each(|number| hash.update(&number.to_le_bytes()));
        for (name, values) in vectors(state) {
            hash.update(name.as_bytes());
            values
                .iter()
                .for_each(|value| hash.update(&value.to_le_bytes()));
        }
        format!("{:016x}", hash.digest())
    }

    /// Rejects states of another run and damaged ones.
    fn check(&self, state: &LearnerState, run: Option<RunId>) -> Result<(), Misfit> {
        let (found, expected) = (self.checksum_of(state), self.checksum.clone());
        if expected.as_ref().is_some_and(|expected| found != *expected)
            || (expected.is_none() && self.version > 1)
        {
            let none = || "a checksum".to_owned();
            return Err(Misfit::Damaged {
                found: format!("checksum {found}"),
                expected: expected.unwrap_or_else(none),
            });
        }
        Misfit::unless_run(self.run, run)
    }
}

impl Trainer {
    /// Writes the complete state of `run` into the existing directory `dir`. Call
    /// [`report`](Self::report) first, so that steps with unread losses are not lost.
    ///
    /// # Errors
    /// When the device cannot be read or the file cannot be written.
    pub fn save(&self, dir: &Path, run: Option<RunId>) -> Result<(), TrainError> {
        let state = self.backend.state()?;
        let mut header = Header {
            version: VERSION,
            progress: self.progress,
            optimiser_updates: state.optimiser_updates,
            average_updates: state.average_updates,
            run,
            checksum: None,
        };
        header.checksum = Some(header.checksum_of(&state));
        write(&dir.join(FILE), &header, &state)
    }

    /// Resumes from a saved state: every later step gives the same weights as if training had never
    /// stopped.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged or belongs to another run or network.
    pub fn resume(
        model: &ModelConfig,
        config: TrainConfig,
        dir: &Path,
        run: Option<RunId>,
        compute: &Compute,
    ) -> Result<Self, TrainError> {
        let shape = config.shape(model)?;
        let path = dir.join(FILE);
        // The vectors and a header; a larger file belongs to another network.
        let n_values = shape.layout.n_values;
        let n_at_most = n_values + retired_values(model, MAX_RETIRED_OUTPUTS);
        let limit = (4 * n_at_most * size_of::<f32>()) as u64 + MAX_HEADER_BYTES;
        let bytes = store::read_bounded(&path, limit)?;
        let header = read_header(&bytes, &path)?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(fault(&path))?;
        let n_stored = stored_values(&tensors, &shape);
        let read = |name: &str| {
            let tensor = tensors.tensor(name).map_err(fault(&path))?;
            read_vector(&tensor, n_stored).map_err(|text| fault(&path)(format!("{name} {text}")))
        };
        let mut state = LearnerState {
            weights: read("weights")?,
            average: read("average")?,
            gradient_mean: read("gradient_mean")?,
            gradient_square: read("gradient_square")?,
            optimiser_updates: header.optimiser_updates,
            average_updates: header.average_updates,
        };
        let checked = header.check(&state, run);
        checked.map_err(StoreError::misfit(&path))?;
        state.weights.truncate(n_values);
        state.average.truncate(n_values);
        state.gradient_mean.truncate(n_values);
        state.gradient_square.truncate(n_values);
        let mut trainer = Self::with_state(shape, config, state, compute);
        trainer.progress = header.progress;
        Ok(trainer)
    }
}

/// The number of values in this many outputs of heads that no longer exist: a column of weights and
/// a bias each.
fn retired_values(model: &ModelConfig, n_outputs: usize) -> usize {
    n_outputs * (model.value_hidden + 1)
}

/// The number of values of each vector in the file: the network's, or more if values of heads that
/// no longer exist follow.
fn stored_values(tensors: &SafeTensors<'_>, shape: &LearnerShape) -> usize {
    let n_values = shape.layout.n_values;
    let stored = tensors.tensor("weights");
    let stored = stored.map_or(n_values, |tensor| tensor.shape().iter().product());
    let is_retired = |extra: usize| extra.is_multiple_of(retired_values(&shape.config, 1));
    match stored.checked_sub(n_values).is_some_and(is_retired) {
        true => stored,
        false => n_values,
    }
}

fn write(path: &Path, header: &Header, state: &LearnerState) -> Result<(), TrainError> {
    let header = serde_json::to_string(header).expect("plain numbers become JSON");
    let shape = vec![state.weights.len()];
    let tensors = vectors(state).map(|(name, values)| {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        (name, bytes)
    });
    let views = tensors.iter().map(|(name, bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
        (*name, view.expect("the vectors have one value a parameter"))
    });
    let metadata = HashMap::from([(PROGRESS.to_owned(), header)]);
    let bytes = safetensors::serialize(views, Some(metadata)).map_err(fault(path))?;
    std::fs::write(path, bytes).map_err(|source| TrainError::Io {
        path: path.to_owned(),
        source,
    })
}

/// The state's vectors with their names in the file.
fn vectors(state: &LearnerState) -> [(&'static str, &Vec<f32>); 4] {
    [
        ("weights", &state.weights),
        ("average", &state.average),
        ("gradient_mean", &state.gradient_mean),
        ("gradient_square", &state.gradient_square),
    ]
}

fn read_header(bytes: &[u8], path: &Path) -> Result<Header, TrainError> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(fault(path))?;
    let text = metadata
        .metadata()
        .as_ref()
        .and_then(|map| map.get(PROGRESS));
    let text = text.ok_or_else(|| fault(path)(format!("its metadata has no `{PROGRESS}`")))?;
    let Version { version } = serde_json::from_str(text).map_err(fault(path))?;
    if version > VERSION {
        let (found, expected) = (version, VERSION);
        return Err(StoreError::misfit(path)(Misfit::Newer { found, expected }).into());
    }
    serde_json::from_str(text).map_err(fault(path))
}

fn read_vector(tensor: &TensorView<'_>, n_values: usize) -> Result<Vec<f32>, String> {
    if tensor.dtype() != Dtype::F32 || tensor.shape() != [n_values] {
        let (dtype, shape) = (tensor.dtype(), tensor.shape());
        return Err(format!(
            "is {dtype:?} {shape:?}, not F32 [{n_values}]: it belongs to another network"
        ));
    }
    let (bytes, _) = tensor.data().as_chunks();
    let values = bytes.iter().map(|bytes| f32::from_le_bytes(*bytes));
    Ok(values.collect())
}

fn fault<E: Display>(path: &Path) -> impl Fn(E) -> TrainError {
    let path: PathBuf = path.to_owned();
    move |error| TrainError::State {
        path: path.clone(),
        fault: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixtures;

    const RUN: Option<RunId> = Some(RunId(7));

    fn resumed(trainer: &Trainer, dir: &Path, compute: &Compute) -> Trainer {
        let (model, config) = (&trainer.shape.config, trainer.config.clone());
        Trainer::resume(model, config, dir, RUN, compute).unwrap()
    }

    #[test]
    fn resuming_is_the_same_as_never_having_stopped() {
        for compute in ["cpu", "flex"].map(|name| Compute::named(name).unwrap()) {
            let dir = tempfile::tempdir().unwrap();
            let mut through = fixtures::trainer(&compute);
            let mut stopped = fixtures::trainer(&compute);
            for step in 0..6 {
                let batch = fixtures::batch(4, step);
                through.step_on(&batch).unwrap();
                stopped.step_on(&batch).unwrap();
                if step == 2 {
                    stopped.report().unwrap();
                    stopped.save(dir.path(), RUN).unwrap();
                    stopped = resumed(&stopped, dir.path(), &compute);
                }
            }
            let state = |trainer: &Trainer| trainer.backend.state().unwrap();
            assert_eq!(state(&through), state(&stopped));
            assert_eq!(through.progress, stopped.progress);
            assert_ne!(state(&through).weights, state(&through).average);
            through.save(dir.path(), RUN).unwrap();
            let bytes = std::fs::read(dir.path().join(FILE)).unwrap();
            stopped.save(dir.path(), RUN).unwrap();
            assert_eq!(bytes, std::fs::read(dir.path().join(FILE)).unwrap());
        }
    }

    #[test]
    fn a_state_can_go_on_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let mut trainer = fixtures::trainer(&Compute::Cpu);
        trainer.step_on(&fixtures::batch(4, 1)).unwrap();
        trainer.save(dir.path(), RUN).unwrap();
        let elsewhere = resumed(&trainer, dir.path(), &Compute::named("flex").unwrap());
        let state = trainer.backend.state().unwrap();
        assert_eq!(elsewhere.backend.state().unwrap(), state);
    }

    /// A state of an earlier version with the heads `short_values` and `plies_left`.
    #[test]
    fn heads_that_no_longer_exist_are_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        let mut trainer = fixtures::trainer(&Compute::Cpu);
        trainer.step_on(&fixtures::batch(4, 1)).unwrap();
        let state = trainer.backend.state().unwrap();
        let save_with = |n_extra: usize| {
            let mut state = state.clone();
            let means = [&mut state.gradient_mean, &mut state.gradient_square];
            for values in [&mut state.weights, &mut state.average]
                .into_iter()
                .chain(means)
            {
                values.extend(vec![0.5; n_extra]);
            }
            let mut header = Header {
                version: VERSION,
                progress: trainer.progress,
                optimiser_updates: state.optimiser_updates,
                average_updates: state.average_updates,
                run: RUN,
                checksum: None,
            };
            header.checksum = Some(header.checksum_of(&state));
            write(&path, &header, &state).unwrap();
        };
        save_with(retired_values(&fixtures::model_config(), 3 * 2 + 1));
        let resumed = resumed(&trainer, dir.path(), &Compute::Cpu);
        assert_eq!(resumed.backend.state().unwrap(), state);
        save_with(1);
        let (model, config) = (fixtures::model_config(), fixtures::config());
        let other = Trainer::resume(&model, config, dir.path(), RUN, &Compute::Cpu);
        let error = other.err().unwrap().to_string();
        assert!(error.contains("another network"), "{error}");
    }

    #[test]
    fn faults_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let trainer = fixtures::trainer(&Compute::Cpu);
        let resume = |channels| {
            let mut model = fixtures::model_config();
            model.channels = channels;
            Trainer::resume(&model, fixtures::config(), dir.path(), RUN, &Compute::Cpu)
                .err()
                .unwrap()
                .to_string()
        };
        assert!(
            resume(32).starts_with("training cannot be resumed: failed to open "),
            "{}",
            resume(32)
        );
        trainer.save(dir.path(), RUN).unwrap();
        assert!(resume(64).contains("another network"), "{}", resume(64));
        let path = dir.path().join(FILE);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(
            resume(32).starts_with("training cannot be resumed from "),
            "{}",
            resume(32)
        );
        let n_values = trainer.backend.state().unwrap().weights.len();
        let retired = retired_values(&fixtures::model_config(), MAX_RETIRED_OUTPUTS);
        let vectors = 4 * size_of::<f32>() * (n_values + retired);
        let file = std::fs::File::create(&path).unwrap();
        for (extra, is_too_large) in [(0, false), (1, true)] {
            file.set_len(vectors as u64 + MAX_HEADER_BYTES + extra)
                .unwrap();
            assert_eq!(resume(32).contains(" is larger than "), is_too_large);
        }
    }

    #[test]
    fn a_flipped_bit_and_another_run_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let trainer = fixtures::trainer(&Compute::Cpu);
        let resume = |run| {
            let (model, config) = (fixtures::model_config(), fixtures::config());
            Trainer::resume(&model, config, dir.path(), run, &Compute::Cpu)
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        trainer.save(dir.path(), RUN).unwrap();
        for other in [Some(RunId(8)), None] {
            let message = resume(other).unwrap_err();
            assert!(message.contains("it belongs to another run"), "{message}");
        }
        let path = dir.path().join(FILE);
        let whole = std::fs::read(&path).unwrap();
        let n_header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
        let tensors = (0..50).map(|k| n_header + k * (whole.len() - n_header) / 50);
        for byte in (0..n_header).chain(tensors) {
            let mut bytes = whole.clone();
            bytes[byte] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            // Padding after the header's JSON does not count as part of it.
            assert!(resume(RUN).is_err() || whole[byte] == b' ', "byte {byte}");
        }
        let text =
            String::from_utf8_lossy(&whole[8..n_header]).replace("version\\\":2", "version\\\":3");
        let newer = [&whole[..8], text.as_bytes(), &whole[n_header..]].concat();
        std::fs::write(&path, newer).unwrap();
        let message = resume(RUN).unwrap_err();
        assert!(
            message.contains("a newer version of the program"),
            "{message}"
        );
    }
}
