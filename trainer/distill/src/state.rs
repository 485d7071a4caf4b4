//! The training state as bytes, for resuming.

use std::collections::HashMap;

use nnue::{Shape, Weights};
use rules::Variant;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::training::Training;

/// The entry of the metadata that describes the state.
const METADATA_KEY: &str = "crownhead-distillation";
const TENSORS: [&str; 3] = ["weights", "means", "squares"];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    variant: String,
    step: u64,
    config: Config,
}

/// The reasons why bytes are not a training state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Not a safetensors file, or a damaged one.
    #[error("this is not a whole safetensors file: {0}")]
    Format(#[from] safetensors::SafeTensorError),
    /// The description cannot be parsed.
    #[error("the description of the training state cannot be read: {0}")]
    Description(#[from] serde_json::Error),
    /// A safetensors file with other contents.
    #[error("this is not a training state that this program wrote: {0}")]
    Other(String),
}

impl Training {
    /// Serializes the state.
    ///
    /// # Errors
    /// Never fails for a valid state.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        let text = serde_json::to_string(&Description {
            variant: self.variant.name().to_owned(),
            step: self.step,
            config: self.config,
        })?;
        let [means, squares] = &self.moments;
        let bytes = [&self.weights.values, means, squares].map(|values| {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect::<Vec<u8>>()
        });
        let views: Result<Vec<_>, _> = TENSORS
            .iter()
            .zip(&bytes)
            .map(|(name, bytes)| {
                TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes).map(|view| (*name, view))
            })
            .collect();
        let metadata = HashMap::from([(METADATA_KEY.to_owned(), text)]);
        Ok(safetensors::serialize(views?, Some(metadata))?)
    }

    /// Reads a state from the bytes of a file.
    ///
    /// # Errors
    /// If the bytes are not a valid state.
    pub fn from_bytes(bytes: &[u8]) -> Result<Training, StateError> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let metadata = header.metadata().as_ref();
        let text = metadata.and_then(|metadata| metadata.get(METADATA_KEY));
        let text = text.ok_or_else(|| StateError::Other(format!("no entry `{METADATA_KEY}`")))?;
        let description: Description = serde_json::from_str(text)?;
        let variant: Variant = description
            .variant
            .parse()
            .map_err(|error: rules::UnknownVariant| StateError::Other(error.to_string()))?;
        let shape = Shape::of(variant);
        let file = SafeTensors::deserialize(bytes)?;
        let read = |name: &str| -> Result<Vec<f32>, StateError> {
            let view = file.tensor(name)?;
            if view.dtype() != Dtype::F32 || view.shape() != [shape.n_weights()] {
                let found = format!("`{name}` is {} {:?}", view.dtype(), view.shape());
                return Err(StateError::Other(found));
            }
            let (values, _) = view.data().as_chunks();
            Ok(values
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect())
        };
        Ok(Training {
            variant,
            config: description.config,
            step: description.step,
            weights: Weights {
                shape,
                values: read(TENSORS[0])?,
            },
            moments: [read(TENSORS[1])?, read(TENSORS[2])?],
        })
    }
}
