//! Why something is not a learned evaluation.

use rules::Variant;
use safetensors::SafeTensorError;

/// Why a network cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// Not a safetensors file, or a damaged one.
    #[error("this is not a whole safetensors file: {0}")]
    Format(#[from] SafeTensorError),
    /// More bytes than any learned evaluation has.
    #[error(
        "it has {found} bytes, in the header or at all, and learned evaluations at most {limit}"
    )]
    TooLarge {
        /// Bytes of the file, or those that it says its header has.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// A safetensors file of something else.
    #[error(
        "this safetensors file is not a learned evaluation: its metadata have no entry `{key}`"
    )]
    NoManifest {
        /// The entry that is missing.
        key: &'static str,
    },
    /// The description does not make sense.
    #[error("the description in the metadata cannot be read: {0}")]
    Manifest(#[from] serde_json::Error),
    /// The description is one of another format.
    #[error("the description says `{field}` is {found}, this program reads {expected}")]
    Field {
        /// Which entry.
        field: &'static str,
        /// What it is.
        found: String,
        /// What it must be.
        expected: String,
    },
    /// The evaluation is one of other rules.
    #[error(
        "it judges {variant} by version {found} of the rules, this program plays version {expected}: distill it anew"
    )]
    Rules {
        /// The game.
        variant: Variant,
        /// Its version.
        found: u32,
        /// The version that this program plays.
        expected: u32,
    },
    /// A tensor is missing.
    #[error("there is no tensor `{tensor}`")]
    Missing {
        /// Its name.
        tensor: &'static str,
    },
    /// A tensor has another type or shape.
    #[error("tensor `{tensor}` is {found}, not {expected}")]
    Tensor {
        /// Its name.
        tensor: &'static str,
        /// Its type and shape.
        found: String,
        /// What they must be.
        expected: String,
    },
    /// There is another number of weights.
    #[error("`{tensor}` has {found} values, not {expected}")]
    Size {
        /// What.
        tensor: &'static str,
        /// How many.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A weight that integers cannot hold.
    #[error(
        "a weight of `{tensor}` is {value}, which its integers cannot hold: training has diverged"
    )]
    Weight {
        /// Which tensor.
        tensor: &'static str,
        /// The weight.
        value: f32,
    },
    /// Sums could overflow.
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
