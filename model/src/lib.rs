//! The network: its encodings, its weights by name, checkpoints, and inference on a CPU.

mod config;
pub mod cpu;
pub mod encoding;
mod error;
pub mod network;
mod weights;

pub use config::{AUXILIARY_PREFIX, GLOBALS, ModelConfig, PLANES, Preset, TensorSpec};
pub use cpu::{CpuEvaluator, Instructions};
pub use error::ModelError;
pub use weights::{Array, Weights};
