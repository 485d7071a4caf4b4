//! Weights as the bytes of a safetensors file.

use std::borrow::Cow;
use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, View};

use crate::{Array, ModelWeights};

/// The one entry of the file's metadata: the text of `model.json`, so that the weights' file alone
/// is a whole model. One entry, because several would come in a random order.
const METADATA_KEY: &str = "crownhead";

/// Why bytes are not the weights of a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TensorFileError {
    /// The file ends early, or goes on behind its end.
    #[error(
        "the file holds {found} bytes, not as many as its header says: it was cut off or damaged"
    )]
    Length {
        /// Bytes there are.
        found: usize,
    },
    /// Not a safetensors file.
    #[error("this is not a safetensors file: {0}")]
    Format(#[source] SafeTensorError),
    /// A tensor of another type than f32.
    #[error("tensor `{name}` has type {dtype}: convert it to F32")]
    Type {
        /// The tensor's name.
        name: String,
        /// Its type.
        dtype: Dtype,
    },
}

/// The bytes of a safetensors file with these weights and this text.
pub(crate) fn write(weights: &ModelWeights, text: &str) -> Result<Vec<u8>, TensorFileError> {
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), text.to_owned())]);
    safetensors::serialize(weights.iter(), Some(metadata)).map_err(TensorFileError::Format)
}

/// The weights in a safetensors file, and the text if it was written by [`write`].
pub(crate) fn read(bytes: &[u8]) -> Result<(ModelWeights, Option<String>), TensorFileError> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| explain(error, bytes))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| explain(error, bytes))?;
    let text = header
        .metadata()
        .as_ref()
        .and_then(|metadata| metadata.get(METADATA_KEY))
        .cloned();
    let mut weights = ModelWeights::new();
    for (name, tensor) in tensors.iter() {
        if tensor.dtype() != Dtype::F32 {
            return Err(TensorFileError::Type {
                name: name.to_owned(),
                dtype: tensor.dtype(),
            });
        }
        let (values, _) = tensor.data().as_chunks::<4>();
        let values = values
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect();
        weights.insert(name, tensor.shape().to_vec(), values);
    }
    Ok((weights, text))
}

fn explain(error: SafeTensorError, bytes: &[u8]) -> TensorFileError {
    match error {
        SafeTensorError::HeaderTooSmall
        | SafeTensorError::InvalidHeaderLength
        | SafeTensorError::MetadataIncompleteBuffer => {
            TensorFileError::Length { found: bytes.len() }
        }
        error => TensorFileError::Format(error),
    }
}

impl View for &Array {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect::<Vec<u8>>()
            .into()
    }

    fn data_len(&self) -> usize {
        size_of_val(self.values.as_slice())
    }
}
