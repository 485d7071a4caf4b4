//! Weights as the bytes of a safetensors file.

use std::borrow::Cow;
use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, View};

use crate::error::{MAX_HEADER_BYTES, TensorFileError};
use crate::{Array, ModelWeights};

/// The only metadata entry: the text of `model.json`, so that the weights file alone is a complete
/// model. There is one entry because several would be written in random order.
const METADATA_KEY: &str = "crownhead";

/// Serializes weights and this text as a safetensors file.
pub(crate) fn write(weights: &ModelWeights, text: &str) -> Result<Vec<u8>, TensorFileError> {
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), text.to_owned())]);
    safetensors::serialize(weights.iter(), Some(metadata)).map_err(TensorFileError::Format)
}

/// The weights in a safetensors file, and the text if the file was written by [`write`].
pub(crate) fn read(bytes: &[u8]) -> Result<(ModelWeights, Option<String>), TensorFileError> {
    let found = bytes
        .first_chunk()
        .map_or(0, |length| u64::from_le_bytes(*length));
    if found > MAX_HEADER_BYTES {
        return Err(TensorFileError::Header { found });
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_limited() {
        let header = |n_text: usize| {
            let bytes = write(&ModelWeights::new(), &"x".repeat(n_text)).unwrap();
            (u64::from_le_bytes(*bytes.first_chunk().unwrap()), bytes)
        };
        let n_text = (MAX_HEADER_BYTES - header(0).0) as usize;
        let (n_bytes, bytes) = header(n_text);
        assert_eq!(n_bytes, MAX_HEADER_BYTES);
        assert!(read(&bytes).is_ok());
        // Headers are padded to a multiple of eight bytes.
        let (found, bytes) = header(n_text + 8);
        let error = read(&bytes).err().unwrap().to_string();
        assert!(
            error.contains(&format!("its header has {found} bytes")),
            "{error}"
        );
    }
}
