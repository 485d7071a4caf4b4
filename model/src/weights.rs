//! Weights by name: what burn, the CPU path and a checkpoint exchange.

use std::collections::BTreeMap;

use rand::Rng;

use crate::graph::{Layer, graph};
use crate::tensor::TensorSpec;
use crate::{ModelConfig, ModelError, NetworkHeads, shape};

/// One tensor of f32 values, row major.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Extent of each dimension.
    pub shape: Vec<usize>,
    /// The values; as many as the product of `shape`.
    pub values: Vec<f32>,
}

/// All tensors of a network by name, in alphabetical order.
///
/// The names and shapes are those of [`ModelConfig::tensors`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelWeights {
    arrays: BTreeMap<String, Array>,
}

impl ModelWeights {
    /// No tensors.
    pub fn new() -> Self {
        Self::default()
    }

    /// The untrained network of inference: each tensor begins as its
    /// [`TensorSpec`](crate::tensor::TensorSpec) says.
    pub fn initial(config: &ModelConfig, rng: &mut impl Rng) -> Self {
        shape::initial(&config.graph(), rng)
    }

    /// The untrained network with these heads. Its tensors of inference are those of
    /// [`ModelWeights::initial`].
    pub fn initial_with(config: &ModelConfig, heads: &NetworkHeads, rng: &mut impl Rng) -> Self {
        shape::initial(&graph(config, heads), rng)
    }

    /// Adds or replaces a tensor.
    ///
    /// # Panics
    /// When `values` does not fill `shape`.
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

    /// The values of a tensor that must be there, with exactly this shape.
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

    /// The weights of a layer and its bias, which is empty where it has none.
    pub(crate) fn layer(&self, layer: &Layer) -> Result<(&[f32], &[f32]), ModelError> {
        let of = |tensor: &TensorSpec| self.values(&tensor.name, &tensor.shape);
        let bias = layer.bias.as_ref().map(of).transpose()?;
        Ok((of(&layer.weight)?, bias.unwrap_or_default()))
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

    /// Whether there is no tensor at all.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// Checks that every tensor that `config` needs is there, has its shape and is finite.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, config: &ModelConfig) -> Result<(), ModelError> {
        for tensor in config.tensors() {
            let values = self.values(&tensor.name, &tensor.shape)?;
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                let value = values[index];
                return Err(ModelError::NotFinite {
                    name: tensor.name,
                    index,
                    value,
                });
            }
        }
        Ok(())
    }
}

impl FromIterator<(String, Array)> for ModelWeights {
    fn from_iter<I: IntoIterator<Item = (String, Array)>>(arrays: I) -> Self {
        let mut weights = Self::new();
        for (name, array) in arrays {
            weights.insert(name, array.shape, array.values);
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Preset;

    #[test]
    fn initial_weights_fit_their_configuration() {
        let config = Preset::Nano.config(32, 5);
        let weights = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
        weights.check(&config).unwrap();
        let again = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(weights, again);
        assert!(
            weights
                .get("blocks.3.conv2.weight")
                .unwrap()
                .values
                .iter()
                .all(|&x| x == 0.0)
        );
    }

    #[test]
    fn faults_are_named() {
        let config = Preset::Nano.config(32, 5);
        let mut weights = ModelWeights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
        let error = weights
            .check(&Preset::Nano.config(32, 9))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "tensor `blocks.0.conv1.weight` has shape [160, 32], but the configuration \
             needs [288, 32]"
        );
        weights.insert("input.bias", vec![32], vec![f32::NAN; 32]);
        assert!(
            weights
                .check(&config)
                .unwrap_err()
                .to_string()
                .contains("diverged")
        );
        let error = ModelWeights::new().check(&config).unwrap_err().to_string();
        assert!(
            error.starts_with("tensor `input.weight` is missing"),
            "{error}"
        );
    }
}
