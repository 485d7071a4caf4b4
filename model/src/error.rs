//! Errors of models.

use std::path::{Path, PathBuf};

use rules::{UnknownVariant, Variant};
use safetensors::tensor::{Dtype, SafeTensorError};
use search::Batch;

/// The maximum size of the header in bytes, a hundred times the largest preset's. The header is
/// read as a whole and takes a multiple of its size in memory.
pub(crate) const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Errors of creating, loading, saving and running a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A configuration that no network can have. The text lists every problem.
    #[error("the model configuration is invalid: {faults}")]
    Config {
        /// All problems, separated by semicolons.
        faults: String,
    },
    /// An unknown preset name.
    #[error("there is no preset `{name}`: choose one of {known}")]
    UnknownPreset {
        /// The requested name.
        name: String,
        /// The available names.
        known: String,
    },
    /// A tensor required by the configuration is missing.
    #[error(
        "tensor `{name}` is missing: the weights hold {present} other tensors, so they belong to another \
         configuration"
    )]
    MissingTensor {
        /// The tensor's name.
        name: String,
        /// Number of tensors in the weights.
        present: usize,
    },
    /// A tensor has a shape other than the configuration requires.
    #[error("tensor `{name}` has shape {found:?}, but the configuration needs {expected:?}")]
    WrongShape {
        /// The tensor's name.
        name: String,
        /// The actual shape.
        found: Vec<usize>,
        /// The required shape.
        expected: Vec<usize>,
    },
    /// A tensor contains a non-finite value.
    #[error(
        "tensor `{name}` is not finite: value {index} is {value}, so training has diverged; use an earlier model"
    )]
    NotFinite {
        /// The tensor's name.
        name: String,
        /// The index of the first such value.
        index: usize,
        /// The value.
        value: f32,
    },
    /// A device that this build does not support.
    #[error(
        "this build has no device `{name}`: it has cpu, {known}; for a GPU, build it with \
         cargo build --release --features wgpu, vulkan or cuda"
    )]
    UnknownDevice {
        /// The requested name.
        name: String,
        /// The available names.
        known: String,
    },
    /// A device that this build supports but this machine lacks.
    #[error(
        "device `{name}` cannot be used: no usable GPU was found; install its driver, or compute on `cpu` \
         (the system says: {message})"
    )]
    NoDevice {
        /// The requested name.
        name: String,
        /// The system's answer.
        message: String,
    },
    /// The computing device failed.
    #[error("the device failed: {message}")]
    Device {
        /// The device's answer.
        message: String,
    },
    /// The model plays another variant.
    #[error("a model of {model} cannot play {asked}: train or load a model of {asked}")]
    WrongVariant {
        /// The variant of the model.
        model: Variant,
        /// The requested variant.
        asked: Variant,
    },
    /// The configuration is for another board.
    #[error(
        "a network of {found} squares cannot play {variant}: its board has {}",
        variant.board().n_squares()
    )]
    WrongBoard {
        /// The variant.
        variant: Variant,
        /// The number of squares of the network.
        found: usize,
    },
    /// `model.json` is malformed.
    #[error("the JSON is malformed: {0}")]
    Json(#[from] serde_json::Error),
    /// `model.json` has another format version.
    #[error(
        "the model has format {found}, and this program knows format {known}: use the program that wrote it"
    )]
    Format {
        /// The file's version.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// The network was trained with another version of the rules.
    #[error(
        "the model plays {variant} by version {found} of its rules, and this program has version {known}: \
         use the program that trained it"
    )]
    RulesVersion {
        /// The variant.
        variant: Variant,
        /// The version of the rules in the model.
        found: u32,
        /// The version in this program.
        known: u32,
    },
    /// `model.json` differs from its copy in the weights file.
    #[error("it is damaged: found other text than the copy in model.safetensors")]
    OtherText,
    /// The network was trained with another input encoding.
    #[error(
        "the model has input encoding `{found}`, and such networks have `{known}` in this program: use the \
         program that trained it"
    )]
    Encoding {
        /// The model's encoding.
        found: String,
        /// The encoding in this program.
        known: &'static str,
    },
    /// An unknown variant.
    #[error(transparent)]
    UnknownVariant(#[from] UnknownVariant),
    /// `model.json` describes other weights.
    #[error("the weights belong to network {found}, not to {expected}: copy the whole model again")]
    WrongWeights {
        /// Identity of the weights.
        found: String,
        /// Identity in `model.json`.
        expected: String,
    },
    /// The weights file has no description.
    #[error(
        "{} has no `crownhead` metadata: give the directory that holds its model.json",
        path.display()
    )]
    NoManifest {
        /// The file.
        path: PathBuf,
    },
    /// The weights could not be read or written.
    #[error(transparent)]
    TensorFile(#[from] TensorFileError),
    /// A file is damaged or does not match the other one.
    #[error("{} cannot be used: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// The error.
        source: Box<ModelError>,
    },
    /// A file exceeds the size limit of models.
    #[error("{} is larger than {limit} bytes, the limit for such a file", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file system error.
    #[error("failed to access {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
}

impl ModelError {
    /// Names the file of an error.
    pub(crate) fn in_file(path: &Path) -> impl Fn(ModelError) -> ModelError {
        move |source| ModelError::InFile {
            path: path.to_owned(),
            source: Box::new(source),
        }
    }

    /// Checks that all positions of a batch belong to a model's variant.
    pub(crate) fn unless_all_of(model: Variant, batch: &Batch) -> Result<(), ModelError> {
        let mut variants = (0..batch.len()).map(|index| batch.request(index).position.variant());
        match variants.find(|asked| *asked != model) {
            None => Ok(()),
            Some(asked) => Err(ModelError::WrongVariant { model, asked }),
        }
    }
}

/// Errors of reading the weights of a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TensorFileError {
    /// The file is shorter or longer than its header says.
    #[error(
        "the file holds {found} bytes, not as many as its header says: it was cut off or damaged"
    )]
    Length {
        /// The actual size in bytes.
        found: usize,
    },
    /// A header that exceeds the limit.
    #[error(
        "this is not a model's safetensors file: its header has {found} bytes, more than \
         {MAX_HEADER_BYTES}, the limit"
    )]
    Header {
        /// The size that the file announces.
        found: u64,
    },
    /// Not a safetensors file.
    #[error("this is not a safetensors file: {0}")]
    Format(#[source] SafeTensorError),
    /// A tensor with a type other than f32.
    #[error("tensor `{name}` has type {dtype}: convert it to F32")]
    Type {
        /// The tensor's name.
        name: String,
        /// Its type.
        dtype: Dtype,
    },
}
