//! The trainable values of a network as one flat vector.

use std::ops::Range;

use model::{AUXILIARY_PREFIX, ModelConfig, ModelError, TensorSpec, Weights};

use crate::TrainConfig;

/// What the names of the tensors for short horizons begin with.
const SHORT_VALUE: &str = "short_value.";

/// Where each tensor lies in a flat vector of all parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    tensors: Vec<(TensorSpec, Range<usize>)>,
    n_values: usize,
}

impl Layout {
    /// All tensors that inference needs, and those of the auxiliary heads that are trained.
    pub(crate) fn new(model: &ModelConfig, config: &TrainConfig) -> Self {
        let mut specs = model.tensors();
        if config.soft_policy_weight > 0.0 {
            specs.extend(model.auxiliary_tensors());
        }
        if config.trained_short_values() > 0 {
            specs.extend(short_value_tensors(model, config.n_short_values));
        }
        let mut n_values = 0;
        let place = |spec: TensorSpec| {
            let start = n_values;
            n_values += spec.shape.iter().product::<usize>();
            (spec, start..n_values)
        };
        let tensors = specs.into_iter().map(place).collect();
        Self { tensors, n_values }
    }

    /// Number of trainable values.
    pub(crate) fn n_values(&self) -> usize {
        self.n_values
    }

    /// The parts of the vector that weight decay pulls towards zero: the matrices.
    pub(crate) fn decayed(&self) -> impl Iterator<Item = Range<usize>> {
        self.tensors
            .iter()
            .filter(|(spec, _)| spec.name.ends_with(".weight"))
            .map(|(_, range)| range.clone())
    }

    /// All values one after the other.
    pub(crate) fn flatten(&self, weights: &Weights) -> Result<Vec<f32>, ModelError> {
        let mut values = Vec::with_capacity(self.n_values);
        for (spec, _) in &self.tensors {
            values.extend_from_slice(weights.values(&spec.name, &spec.shape)?);
        }
        Ok(values)
    }

    /// All values one after the other; auxiliary heads that `weights` lacks begin untrained.
    pub(crate) fn flatten_or_begin(
        &self,
        weights: &Weights,
        untrained: &Weights,
    ) -> Result<Vec<f32>, ModelError> {
        let mut complete = weights.clone();
        for (spec, range) in &self.tensors {
            if weights.get(&spec.name).is_none() && is_auxiliary(&spec.name) {
                let values = match untrained.get(&spec.name) {
                    Some(array) => array.values.clone(),
                    None => vec![0.0; range.len()],
                };
                complete.insert(spec.name.clone(), spec.shape.clone(), values);
            }
        }
        self.flatten(&complete)
    }

    /// The tensors that `values` holds.
    pub(crate) fn unflatten(&self, values: &[f32]) -> Weights {
        let mut weights = Weights::new();
        for (spec, range) in &self.tensors {
            let values = values[range.clone()].to_vec();
            weights.insert(spec.name.clone(), spec.shape.clone(), values);
        }
        weights
    }
}

/// The head for short horizons, on the value head's hidden layer.
fn short_value_tensors(model: &ModelConfig, n_horizons: usize) -> [TensorSpec; 2] {
    let spec = |name: &str, shape: &[usize]| TensorSpec {
        name: format!("{SHORT_VALUE}{name}"),
        shape: shape.to_vec(),
    };
    let width = 3 * n_horizons;
    [
        spec("weight", &[model.value_hidden, width]),
        spec("bias", &[width]),
    ]
}

fn is_auxiliary(name: &str) -> bool {
    [AUXILIARY_PREFIX, SHORT_VALUE]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::fixtures;

    #[test]
    fn flattening_loses_nothing() {
        let config = fixtures::model_config();
        let weights = Weights::initial(&config, &mut ChaCha8Rng::seed_from_u64(5));
        let layout = Layout::new(&config, &fixtures::config());
        let mut weights = weights;
        weights.insert("short_value.weight", vec![8, 6], vec![0.5; 48]);
        weights.insert("short_value.bias", vec![6], vec![0.25; 6]);
        let flat = layout.flatten(&weights).unwrap();
        assert_eq!(flat.len(), layout.n_values());
        assert_eq!(layout.unflatten(&flat), weights);
        let mut plain = fixtures::config();
        plain.soft_policy_weight = 0.0;
        plain.short_value_weight = 0.0;
        let n_values = Layout::new(&config, &plain).n_values();
        assert_eq!(n_values, config.n_parameters());
    }

    #[test]
    fn only_matrices_decay() {
        let layout = Layout::new(&fixtures::model_config(), &fixtures::config());
        let decayed: Vec<_> = layout.decayed().collect();
        for (spec, range) in &layout.tensors {
            let is_matrix = spec.shape.len() == 2
                && !matches!(spec.name.as_str(), "input.position" | "input.global");
            assert_eq!(decayed.contains(range), is_matrix, "{}", spec.name);
        }
    }
}
