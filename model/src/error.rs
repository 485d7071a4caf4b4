//! What can be wrong with a model.

use std::path::PathBuf;

use rules::Variant;

/// Why a model could not be made, loaded, saved or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A configuration that no network can have. The text lists every fault.
    #[error("use this model configuration: {faults}")]
    Config {
        /// Every fault, separated by semicolons.
        faults: String,
    },
    /// A preset name that does not exist.
    #[error("find preset `{name}`: choose one of {known}")]
    UnknownPreset {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A tensor that the configuration requires is not there.
    #[error(
        "find tensor `{name}`: the weights hold {present} other tensors, so they belong to another configuration"
    )]
    MissingTensor {
        /// The tensor's name.
        name: String,
        /// How many tensors there are.
        present: usize,
    },
    /// A tensor has another shape than the configuration requires.
    #[error(
        "use tensor `{name}`: its shape is {found:?} where the configuration needs {expected:?}"
    )]
    WrongShape {
        /// The tensor's name.
        name: String,
        /// The shape that it has.
        found: Vec<usize>,
        /// The shape that it must have.
        expected: Vec<usize>,
    },
    /// A tensor holds a value that is not finite.
    #[error("use tensor `{name}`: value {index} is {value}, so training has diverged")]
    NotFinite {
        /// The tensor's name.
        name: String,
        /// Position of the first such value.
        index: usize,
        /// The value.
        value: f32,
    },
    /// The device that computes could not do it.
    #[error("compute on the device: {message}")]
    Device {
        /// The device's answer.
        message: String,
    },
    /// The model plays another variant.
    #[error("play {asked} with a model of {model}: train or load a model of {asked}")]
    WrongVariant {
        /// The variant of the model.
        model: Variant,
        /// The variant that was asked for.
        asked: Variant,
    },
    /// The configuration is for another board.
    #[error(
        "play {variant} with a network of {found} squares: its board has {}",
        variant.board().n_squares()
    )]
    WrongBoard {
        /// The variant.
        variant: Variant,
        /// Squares of the network.
        found: usize,
    },
    /// A file could not be read or written.
    #[error("access {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
}
