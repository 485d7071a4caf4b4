//! Everything needed to go on training, in one safetensors file.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use model::backend::LearnerState;
use model::{Compute, ModelConfig};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::trainer::Progress;
use crate::{TrainConfig, TrainError, Trainer};

/// Name of the file in the state's directory.
const FILE: &str = "trainer.safetensors";

/// Key of the progress in the file's metadata; one key, so that equal states are equal files.
const PROGRESS: &str = "progress";

/// Version of the file's contents.
const VERSION: u32 = 1;

/// What is in the file besides tensors.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u32,
    progress: Progress,
    optimiser_updates: u64,
    average_updates: u64,
}

impl Trainer {
    /// Writes everything needed to go on into `dir`, which exists. Call [`report`](Self::report) before,
    /// so that no step is forgotten whose losses were not read.
    ///
    /// # Errors
    /// When the device cannot be read or the file not be written.
    pub fn save(&self, dir: &Path) -> Result<(), TrainError> {
        let state = self.backend.state()?;
        let header = Header {
            version: VERSION,
            progress: self.progress,
            optimiser_updates: state.optimiser_updates,
            average_updates: state.average_updates,
        };
        let header = serde_json::to_string(&header).expect("plain numbers become JSON");
        let shape = vec![self.shape.layout.n_values()];
        let tensors = vectors(&state).map(|(name, values)| {
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
        let path = dir.join(FILE);
        let bytes = safetensors::serialize(views, Some(metadata)).map_err(fault(&path))?;
        std::fs::write(&path, bytes).map_err(|source| TrainError::Io { path, source })
    }

    /// Resumes where [`save`](Self::save) was called: every later step gives the same weights as
    /// if training had never stopped.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged or belongs to another network.
    pub fn resume(
        model: &ModelConfig,
        config: TrainConfig,
        n_horizons: usize,
        dir: &Path,
        compute: &Compute,
    ) -> Result<Self, TrainError> {
        let shape = config.shape(model, n_horizons)?;
        let path = dir.join(FILE);
        let bytes = std::fs::read(&path).map_err(|source| io(&path, source))?;
        let header = read_header(&bytes).map_err(fault(&path))?;
        let tensors = SafeTensors::deserialize(&bytes).map_err(fault(&path))?;
        let mut state = LearnerState::new(vec![0.0; shape.layout.n_values()]);
        for (name, values) in vectors_mut(&mut state) {
            let tensor = tensors.tensor(name).map_err(fault(&path))?;
            read_vector(&tensor, values).map_err(|text| fault(&path)(format!("{name} {text}")))?;
        }
        state.optimiser_updates = header.optimiser_updates;
        state.average_updates = header.average_updates;
        let mut trainer = Self::with_state(shape, config, state, compute);
        trainer.progress = header.progress;
        Ok(trainer)
    }
}

/// The state's vectors by their names in the file.
fn vectors(state: &LearnerState) -> [(&'static str, &Vec<f32>); 4] {
    [
        ("weights", &state.weights),
        ("average", &state.average),
        ("gradient_mean", &state.gradient_mean),
        ("gradient_square", &state.gradient_square),
    ]
}

fn vectors_mut(state: &mut LearnerState) -> [(&'static str, &mut Vec<f32>); 4] {
    [
        ("weights", &mut state.weights),
        ("average", &mut state.average),
        ("gradient_mean", &mut state.gradient_mean),
        ("gradient_square", &mut state.gradient_square),
    ]
}

fn read_header(bytes: &[u8]) -> Result<Header, String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let text = metadata
        .metadata()
        .as_ref()
        .and_then(|map| map.get(PROGRESS));
    let text = text.ok_or_else(|| format!("its metadata has no `{PROGRESS}`"))?;
    let header: Header = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if header.version != VERSION {
        return Err(format!("its version is {}, not {VERSION}", header.version));
    }
    Ok(header)
}

fn read_vector(tensor: &TensorView<'_>, values: &mut [f32]) -> Result<(), String> {
    if tensor.dtype() != Dtype::F32 || tensor.shape() != [values.len()] {
        let (dtype, shape, n) = (tensor.dtype(), tensor.shape(), values.len());
        return Err(format!(
            "is {dtype:?} {shape:?}, not F32 [{n}]: it belongs to another network"
        ));
    }
    let (bytes, _) = tensor.data().as_chunks::<4>();
    for (value, bytes) in values.iter_mut().zip(bytes) {
        *value = f32::from_le_bytes(*bytes);
    }
    Ok(())
}

fn fault<E: Display>(path: &Path) -> impl Fn(E) -> TrainError {
    let path: PathBuf = path.to_owned();
    move |error| TrainError::State {
        path: path.clone(),
        fault: error.to_string(),
    }
}

fn io(path: &Path, source: std::io::Error) -> TrainError {
    TrainError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fixtures;

    fn resumed(trainer: &Trainer, dir: &Path, compute: &Compute) -> Trainer {
        let (model, config) = (&trainer.shape.config, trainer.config.clone());
        Trainer::resume(model, config, fixtures::N_HORIZONS, dir, compute).unwrap()
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
                    stopped.save(dir.path()).unwrap();
                    stopped = resumed(&stopped, dir.path(), &compute);
                }
            }
            let state = |trainer: &Trainer| trainer.backend.state().unwrap();
            assert_eq!(state(&through), state(&stopped));
            assert_eq!(through.progress, stopped.progress);
            assert_ne!(state(&through).weights, state(&through).average);
            through.save(dir.path()).unwrap();
            let bytes = std::fs::read(dir.path().join(FILE)).unwrap();
            stopped.save(dir.path()).unwrap();
            assert_eq!(bytes, std::fs::read(dir.path().join(FILE)).unwrap());
        }
    }

    #[test]
    fn a_state_can_go_on_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let mut trainer = fixtures::trainer(&Compute::Cpu);
        trainer.step_on(&fixtures::batch(4, 1)).unwrap();
        trainer.save(dir.path()).unwrap();
        let elsewhere = resumed(&trainer, dir.path(), &Compute::named("flex").unwrap());
        let state = trainer.backend.state().unwrap();
        assert_eq!(elsewhere.backend.state().unwrap(), state);
    }

    #[test]
    fn faults_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let trainer = fixtures::trainer(&Compute::Cpu);
        let resume = |channels| {
            let mut model = fixtures::model_config();
            model.channels = channels;
            let (config, n_horizons) = (fixtures::config(), fixtures::N_HORIZONS);
            Trainer::resume(&model, config, n_horizons, dir.path(), &Compute::Cpu)
                .err()
                .unwrap()
                .to_string()
        };
        assert!(resume(32).starts_with("access "), "{}", resume(32));
        trainer.save(dir.path()).unwrap();
        assert!(resume(64).contains("another network"), "{}", resume(64));
        let path = dir.path().join(FILE);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(resume(32).starts_with("resume from "), "{}", resume(32));
    }
}
