//! The trainable values of a network as one flat vector.

use std::ops::Range;

use model::{ModelConfig, ModelError, TensorSpec, Weights};

/// Where each tensor lies in a flat vector of all parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    tensors: Vec<(TensorSpec, Range<usize>)>,
    n_values: usize,
}

impl Layout {
    /// All tensors that inference needs, and the auxiliary ones if they are trained.
    pub(crate) fn new(config: &ModelConfig, auxiliary: bool) -> Self {
        let mut specs = config.tensors();
        if auxiliary {
            specs.extend(config.auxiliary_tensors());
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
        let layout = Layout::new(&config, true);
        let flat = layout.flatten(&weights).unwrap();
        assert_eq!(flat.len(), layout.n_values());
        assert_eq!(layout.unflatten(&flat), weights);
        assert_eq!(
            Layout::new(&config, false).n_values(),
            config.n_parameters()
        );
    }

    #[test]
    fn only_matrices_decay() {
        let layout = Layout::new(&fixtures::model_config(), false);
        let decayed: Vec<_> = layout.decayed().collect();
        for (spec, range) in &layout.tensors {
            let is_matrix = spec.shape.len() == 2
                && !matches!(spec.name.as_str(), "input.position" | "input.global");
            assert_eq!(decayed.contains(range), is_matrix, "{}", spec.name);
        }
    }
}
