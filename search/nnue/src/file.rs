//! The file format of learned evaluations: safetensors with a description in the metadata.

use std::collections::HashMap;

use rules::Variant;
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use types::Strength;

use crate::error::NetworkError;
use crate::network::Network;
use crate::shape::{BUCKETS, HIDDEN, LAST, Shape, WIDTH};
use crate::tensors::{ACTIVATION_ONE, Tensor, WEIGHT_BITS};

/// The metadata entry that describes the network.
const METADATA_KEY: &str = "crownhead-evaluation";
/// Incremented when programs that read older files would misread new ones.
const FORMAT_VERSION: u32 = 1;

/// The maximum size of an evaluation file, ten times the largest real one.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// The description of a network in its file, strict enough to reject files that would be misread.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    format_version: u32,
    variant: String,
    rules_version: u32,
    inputs: usize,
    width: usize,
    hidden: usize,
    last: usize,
    buckets: usize,
    activation_one: usize,
    weight_bits: usize,
    #[serde(default, skip_serializing_if = "Strength::is_empty")]
    strength: Strength,
}

impl Description {
    pub(crate) fn of(variant: Variant) -> Description {
        Description {
            format_version: FORMAT_VERSION,
            variant: variant.name().to_owned(),
            rules_version: variant.rules_version(),
            inputs: Shape::of(variant).n_inputs(),
            width: WIDTH,
            hidden: HIDDEN,
            last: LAST,
            buckets: BUCKETS,
            activation_one: ACTIVATION_ONE as usize,
            weight_bits: WEIGHT_BITS as usize,
            strength: Strength::default(),
        }
    }

    /// The variant, if this program supports networks of this description.
    fn variant(&self) -> Result<Variant, NetworkError> {
        let field = |field, found: &dyn ToString, expected: &dyn ToString| NetworkError::Field {
            field,
            found: found.to_string(),
            expected: expected.to_string(),
        };
        if self.format_version != FORMAT_VERSION {
            return Err(field(
                "format_version",
                &self.format_version,
                &FORMAT_VERSION,
            ));
        }
        let variant: Variant = self
            .variant
            .parse()
            .map_err(|error| field("variant", &self.variant, &format!("a game: {error}")))?;
        let expected = Description::of(variant);
        if self.rules_version != expected.rules_version {
            return Err(NetworkError::Rules {
                variant,
                found: self.rules_version,
                expected: expected.rules_version,
            });
        }
        for ((name, found), (_, expected)) in self.extents().into_iter().zip(expected.extents()) {
            if found != expected {
                return Err(field(name, &found, &expected));
            }
        }
        Ok(variant)
    }

    fn extents(&self) -> [(&'static str, usize); 7] {
        [
            ("inputs", self.inputs),
            ("width", self.width),
            ("hidden", self.hidden),
            ("last", self.last),
            ("buckets", self.buckets),
            ("activation_one", self.activation_one),
            ("weight_bits", self.weight_bits),
        ]
    }
}

impl Network {
    /// Serializes the network as a safetensors file.
    ///
    /// # Errors
    /// Never fails for a valid network.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        let text = serde_json::to_string(&Description {
            strength: self.strength.clone(),
            ..Description::of(self.variant())
        })?;
        let integers = self.integers();
        let tensors = Tensor::all(&self.shape()).map(|tensor| {
            let integers = integers[tensor.range.clone()].iter();
            let bytes: Vec<u8> = match tensor.dtype {
                Dtype::I16 => integers.flat_map(|n| (*n as i16).to_le_bytes()).collect(),
                _ => integers.flat_map(|n| n.to_le_bytes()).collect(),
            };
            (tensor, bytes)
        });
        let views = tensors.iter().map(|(tensor, bytes)| {
            let view = TensorView::new(tensor.dtype, tensor.shape.clone(), bytes)?;
            Ok((tensor.name, view))
        });
        let views: Vec<_> = views.collect::<Result<_, SafeTensorError>>()?;
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), text)]);
        Ok(safetensors::serialize(views, Some(metadata))?)
    }

    /// Reads a network from a file of [`Network::to_bytes`], at most [`MAX_FILE_BYTES`] long.
    ///
    /// # Errors
    /// If the bytes are not a valid evaluation file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let header = bytes.first_chunk().copied().map(u64::from_le_bytes);
        if header.is_some_and(|n_bytes| n_bytes > MAX_FILE_BYTES) {
            return Err(SafeTensorError::HeaderTooLarge.into());
        }
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let text = header
            .metadata()
            .as_ref()
            .and_then(|metadata| metadata.get(METADATA_KEY))
            .ok_or(NetworkError::NoManifest { key: METADATA_KEY })?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(NetworkError::TooLarge {
                found: bytes.len() as u64,
                limit: MAX_FILE_BYTES,
            });
        }
        let description: Description = serde_json::from_str(text)?;
        let variant = description.variant()?;
        let file = SafeTensors::deserialize(bytes)?;
        let mut integers = Vec::new();
        for tensor in Tensor::all(&Shape::of(variant)) {
            let bytes = tensor_bytes(&file, &tensor)?;
            match tensor.dtype {
                Dtype::I16 => {
                    let shorts = bytes.as_chunks().0.iter();
                    integers.extend(shorts.map(|bytes| i32::from(i16::from_le_bytes(*bytes))));
                }
                _ => integers.extend(bytes.as_chunks().0.iter().copied().map(i32::from_le_bytes)),
            }
        }
        let network = Network::from_integers(variant, &integers)?;
        Ok(network.with_strength(description.strength))
    }
}

/// The bytes of a tensor in a file, if its type and shape are right.
fn tensor_bytes<'a>(file: &SafeTensors<'a>, tensor: &Tensor) -> Result<&'a [u8], NetworkError> {
    let name = tensor.name;
    let view = file
        .tensor(name)
        .map_err(|_| NetworkError::Missing { tensor: name })?;
    if view.dtype() != tensor.dtype || view.shape() != tensor.shape {
        return Err(NetworkError::Tensor {
            tensor: name,
            found: format!("{} {:?}", view.dtype(), view.shape()),
            expected: format!("{} {:?}", tensor.dtype, tensor.shape),
        });
    }
    Ok(view.data())
}
