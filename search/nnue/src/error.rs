//! Errors of evaluation files.

use rules::Variant;
use safetensors::SafeTensorError;

/// Errors of building or reading a network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// Not a safetensors file, or a damaged one.
    #[error("this is not a whole safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// A file larger than any learned evaluation.
    #[error("it has {found} bytes, and learned evaluations at most {limit}")]
    TooLarge {
        /// The size of the file in bytes.
        found: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A safetensors file with other contents.
    #[error(
        "this safetensors file is not a learned evaluation: its metadata have no entry `{key}`"
    )]
    NoManifest {
        /// The missing metadata entry.
        key: &'static str,
    },
    /// The description cannot be parsed.
    #[error("the description in the metadata cannot be read: {0}")]
    Manifest(#[from] serde_json::Error),
    /// The description has an unsupported value, such as another format version.
    #[error("the description says `{field}` is {found}, this program reads {expected}")]
    Field {
        /// The name of the entry.
        field: &'static str,
        /// Its value in the file.
        found: String,
        /// The supported value.
        expected: String,
    },
    /// The evaluation was made for another version of the rules.
    #[error(
        "it judges {variant} by version {found} of the rules, this program plays version {expected}: distill a new one"
    )]
    Rules {
        /// The variant.
        variant: Variant,
        /// The version in the file.
        found: u32,
        /// The version in this program.
        expected: u32,
    },
    /// A tensor is missing.
    #[error("there is no tensor `{tensor}`")]
    Missing {
        /// The name of the tensor.
        tensor: &'static str,
    },
    /// A tensor has another type or shape.
    #[error("tensor `{tensor}` is {found}, not {expected}")]
    Tensor {
        /// The name of the tensor.
        tensor: &'static str,
        /// The type and shape in the file.
        found: String,
        /// The required type and shape.
        expected: String,
    },
    /// The number of weights is wrong.
    #[error("`{tensor}` has {found} values, not {expected}")]
    Size {
        /// The name of the tensor.
        tensor: &'static str,
        /// The number in the file.
        found: usize,
        /// The required number.
        expected: usize,
    },
    /// A weight does not fit its integer type.
    #[error(
        "a weight of `{tensor}` is {value}, which its integers cannot hold: training has diverged"
    )]
    Weight {
        /// The name of the tensor.
        tensor: &'static str,
        /// The weight.
        value: f32,
    },
    /// Sums of a layer could overflow.
    #[error(
        "the weights of neuron {neuron} of layer `{layer}` are so large that its sum can overflow"
    )]
    Overflow {
        /// The layer.
        layer: &'static str,
        /// The neuron.
        neuron: usize,
    },
}
