//! Weights by name: what burn, the CPU path and a checkpoint exchange.

use std::collections::BTreeMap;

use rand::{Rng, RngExt};

use crate::{ModelConfig, ModelError};

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
pub struct Weights {
    arrays: BTreeMap<String, Array>,
}

impl Weights {
    /// No tensors.
    pub fn new() -> Self {
        Self::default()
    }

    /// The untrained network: normal distributions that keep the variance through a ReLU (He et
    /// al. 2015) and zero biases. The second convolution of each block is zero, so that every
    /// block begins as the identity and no normalisation is needed (Fixup, Zhang et al. 2019);
    /// the outputs begin small, so that the first policies are nearly uniform.
    pub fn initial(config: &ModelConfig, rng: &mut impl Rng) -> Self {
        let mut weights = Self::new();
        for tensor in config
            .tensors()
            .into_iter()
            .chain(config.auxiliary_tensors())
        {
            let deviation = initial_deviation(&tensor.name, &tensor.shape);
            let n_values = tensor.shape.iter().product();
            let values = (0..n_values)
                .map(|_| deviation * standard_normal(rng))
                .collect();
            weights.insert(tensor.name, tensor.shape, values);
        }
        weights
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

impl FromIterator<(String, Array)> for Weights {
    fn from_iter<I: IntoIterator<Item = (String, Array)>>(arrays: I) -> Self {
        let mut weights = Self::new();
        for (name, array) in arrays {
            weights.insert(name, array.shape, array.values);
        }
        weights
    }
}

/// Standard deviation with which a tensor begins; 0 for what begins as zero.
fn initial_deviation(name: &str, shape: &[usize]) -> f32 {
    let fan_in = shape[0] as f32;
    if name.ends_with("bias") || name.ends_with("conv2.weight") {
        return 0.0;
    }
    match name {
        // The input is a sum of a few table rows, each of about this size.
        "input.weight" | "input.position" | "input.global" => 0.5,
        "policy.weight" | "soft_policy.weight" => 0.5 / fan_in.sqrt(),
        "value.out.weight" => 0.1 / fan_in.sqrt(),
        name if name.ends_with("pool.weight") => 0.5 / fan_in.sqrt(),
        _ => (2.0 / fan_in).sqrt(),
    }
}

/// One standard normal value (Box and Muller 1958), the same on every machine.
fn standard_normal(rng: &mut impl Rng) -> f32 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    let radius = (-2.0 * (1.0 - radius).ln()).sqrt();
    (radius * (std::f64::consts::TAU * angle).cos()) as f32
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
        let weights = Weights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
        weights.check(&config).unwrap();
        let again = Weights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
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
        let mut weights = Weights::initial(&config, &mut ChaCha8Rng::seed_from_u64(1));
        let error = weights
            .check(&Preset::Nano.config(32, 9))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "use tensor `blocks.0.conv1.weight`: its shape is [160, 32] where the configuration \
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
        let error = Weights::new().check(&config).unwrap_err().to_string();
        assert!(error.starts_with("find tensor `input.weight`"), "{error}");
    }

    #[test]
    fn normal_values_have_unit_variance() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let values: Vec<f32> = (0..20_000).map(|_| standard_normal(&mut rng)).collect();
        let mean = values.iter().sum::<f32>() / 20_000.0;
        let variance = values.iter().map(|x| x * x).sum::<f32>() / 20_000.0;
        assert!(
            mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03,
            "{mean} {variance}"
        );
    }
}
