//! The network: its encodings, its weights by name, checkpoints, and inference on a CPU.

mod checkpoint;
mod config;
pub mod cpu;
pub mod encoding;
mod error;
pub mod network;
mod tensor_file;
mod weights;

pub use checkpoint::{Model, ModelMeta};
pub use config::{AUXILIARY_PREFIX, GLOBALS, ModelConfig, PLANES, Preset, TensorSpec};
pub use cpu::{CpuEvaluator, Instructions};
pub use error::ModelError;
pub use tensor_file::TensorFileError;
pub use weights::{Array, Weights};
