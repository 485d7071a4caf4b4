//! Weights by name, the common format of burn, the CPU implementation and checkpoints.

use std::collections::BTreeMap;

use crate::ModelError;

/// A tensor of f32 values, row major.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The values, in row-major order.
    pub values: Vec<f32>,
}

/// All tensors of a network by name, in alphabetical order.
///
/// The names and shapes follow [`ModelConfig::tensors`](crate::ModelConfig::tensors).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelWeights {
    arrays: BTreeMap<String, Array>,
}

impl ModelWeights {
    /// No tensors.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a tensor.
    ///
    /// # Panics
    /// If `values` does not fill `shape`.
    pub fn insert(&mut self, name: impl Into<String>, shape: Vec<usize>, values: Vec<f32>) {
        let name = name.into();
        let n_values = shape.iter().product::<usize>();
        assert_eq!(values.len(), n_values, "tensor `{name}` of shape {shape:?}");
        self.arrays.insert(name, Array { shape, values });
    }

    /// The tensor of this name.
    pub fn get(&self, name: &str) -> Option<&Array> {
        self.arrays.get(name)
    }

    /// The values of a required tensor with this exact shape.
    ///
    /// # Errors
    /// [`ModelError::MissingTensor`] or [`ModelError::WrongShape`].
    pub fn values(&self, name: &str, shape: &[usize]) -> Result<&[f32], ModelError> {
        let array = self.get(name).ok_or_else(|| ModelError::MissingTensor {
            name: name.to_owned(),
            present: self.arrays.len(),
        })?;
        if array.shape == shape {
            Ok(&array.values)
        } else {
            Err(ModelError::WrongShape {
                name: name.to_owned(),
                found: array.shape.clone(),
                expected: shape.to_vec(),
            })
        }
    }

    /// All tensors, in alphabetical order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Array)> {
        self.arrays
            .iter()
            .map(|(name, array)| (name.as_str(), array))
    }

    /// Number of tensors.
    pub fn len(&self) -> usize {
        self.arrays.len()
    }

    /// True if there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }
}
