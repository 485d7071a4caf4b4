//! Warm start: the weights of one network in another of similar or larger shape.

use crate::graph::{Layer, Op};
use crate::weights::Array;
use crate::{ModelConfig, ModelWeights};

impl ModelWeights {
    /// Replaces untrained weights by a trained network's weights where they fit. Also returns the
    /// names of the tensors without a counterpart.
    ///
    /// A tensor of the same shape is copied. Convolutions over different numbers of squares share
    /// their first taps (the square itself and its diagonal neighbors), and networks with different
    /// numbers of planes share the first planes; taps and planes missing in the trained network are
    /// initialized with zero, so that they have no effect at first. Tensors with entries per square
    /// fit only the same board.
    #[must_use]
    pub fn warmed_by(self, trained: &ModelWeights) -> (ModelWeights, Vec<String>) {
        let (mut warm, mut untrained) = (ModelWeights::new(), Vec::new());
        for (name, array) in self.iter() {
            let (shape, mut values) = (array.shape.clone(), array.values.clone());
            match trained.get(name) {
                Some(found) if found.shape == shape => values.clone_from(&found.values),
                Some(found) if grows_by_rows(name) && found.shape[1..] == shape[1..] => {
                    let shared = found.values.len().min(values.len());
                    values.fill(0.0);
                    values[..shared].copy_from_slice(&found.values[..shared]);
                }
                _ => untrained.push(name.to_owned()),
            }
            warm.insert(name, shape, values);
        }
        (warm, untrained)
    }

    /// Embeds a smaller trained network in this untrained larger one, so that both compute the same
    /// function; `None` if it does not fit.
    ///
    /// The trained channels read nothing from the new ones: such weights are initialized with zero,
    /// but learn immediately, since the new channels compute something. New blocks start as the
    /// identity, as all blocks do. Growing a network without changing its function is the idea of
    /// Net2Net (Chen, Goodfellow and Shlens 2016).
    #[must_use]
    pub fn grown_from(
        self,
        config: &ModelConfig,
        small: &ModelConfig,
        trained: &ModelWeights,
    ) -> Option<ModelWeights> {
        if !config.contains(small) {
            return None;
        }
        let mut grown = self;
        for op in small.graph() {
            let n_groups = |layer: &Layer| match op {
                // The means of all channels come before their maxima.
                Op::PoolBias { .. } => 2,
                _ => layer.n_taps,
            };
            for layer in op.layers() {
                for tensor in layer.tensors() {
                    let inner = trained.get(&tensor.name)?;
                    let outer = grown.get(&tensor.name)?;
                    let array = outer.around(inner, n_groups(layer));
                    grown.insert(&tensor.name, array.shape, array.values);
                }
            }
        }
        Some(grown)
    }
}

impl ModelConfig {
    /// True if a network of shape `small` can be embedded in a network of this shape: it has the
    /// same board and inputs, and at most as many channels, blocks and policy dimensions.
    pub fn contains(&self, small: &ModelConfig) -> bool {
        let same = |c: &ModelConfig| (c.n_squares, c.n_taps, c.policy_dim);
        same(self) == same(small)
            && self.inputs >= small.inputs
            && self.channels >= small.channels
            && self.blocks >= small.blocks
            && self.value_channels >= small.value_channels
            && self.value_hidden >= small.value_hidden
    }
}

impl Array {
    /// Embeds a smaller array in this one: a bias, or a matrix with `n_groups` groups of rows, each
    /// with one row per input. The weights from new inputs to old outputs are set to zero.
    fn around(&self, inner: &Array, n_groups: usize) -> Array {
        let mut around = self.clone();
        let ([.., columns], [.., inner_columns]) = (&self.shape[..], &inner.shape[..]) else {
            return around;
        };
        let n_groups = if self.shape.len() == 1 { 1 } else { n_groups };
        let n_inputs = |array: &Array, columns| array.values.len() / columns / n_groups;
        let (inputs, inner_inputs) = (n_inputs(self, *columns), n_inputs(inner, *inner_columns));
        for (row, values) in around.values.chunks_exact_mut(*columns).enumerate() {
            let (group, input) = (row / inputs, row % inputs);
            let values = &mut values[..*inner_columns];
            if input < inner_inputs {
                let first = (group * inner_inputs + input) * inner_columns;
                values.copy_from_slice(&inner.values[first..first + inner_columns]);
            } else {
                values.fill(0.0);
            }
        }
        around
    }
}

/// True if a tensor has one row per tap and channel, or per plane, so that the rows of the smaller
/// network come first.
fn grows_by_rows(name: &str) -> bool {
    let is_convolution = name.starts_with("blocks.") && name.contains(".conv");
    name == "input.weight" || is_convolution && name.ends_with(".weight")
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Inputs, ModelConfig, Preset};

    fn weights(config: &ModelConfig, seed: u64) -> ModelWeights {
        ModelWeights::initial(config, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    #[test]
    fn the_same_shape_is_taken_whole() {
        let config = Preset::Nano.config(50, 9);
        let trained = weights(&config, 1);
        let (warm, untrained) = weights(&config, 2).warmed_by(&trained);
        assert_eq!((warm, untrained), (trained, Vec::new()));
    }

    #[test]
    fn planes_that_were_not_seen_change_nothing_at_first() {
        let all = Preset::Nano.config(32, 5);
        let pieces = ModelConfig {
            inputs: Inputs::Pieces,
            ..all.clone()
        };
        let trained = weights(&pieces, 1);
        let (warm, untrained) = weights(&all, 2).warmed_by(&trained);
        assert_eq!(untrained, [""; 0]);
        warm.check(&all).unwrap();
        let name = "input.weight";
        let (old, new) = (trained.get(name).unwrap(), warm.get(name).unwrap());
        let (shared, rest) = new.values.split_at(old.values.len());
        assert_eq!(shared, old.values);
        assert!(!rest.is_empty() && rest.iter().all(|&weight| weight == 0.0));
        let (back, _) = weights(&pieces, 3).warmed_by(&warm);
        assert_eq!(back, trained);
    }

    #[test]
    fn a_larger_board_with_more_taps_keeps_what_knows_no_square() {
        let (small, large) = (Preset::Nano.config(32, 5), Preset::Nano.config(50, 9));
        let trained = weights(&small, 1);
        let (warm, untrained) = weights(&large, 2).warmed_by(&trained);
        assert_eq!(untrained, ["input.position", "value.hidden.weight"]);
        warm.check(&large).unwrap();
        let name = "blocks.1.conv1.weight";
        let (old, new) = (trained.get(name).unwrap(), warm.get(name).unwrap());
        let (shared, rest) = new.values.split_at(5 * 32 * 32);
        assert_eq!(shared, old.values);
        assert!(rest.iter().all(|&weight| weight == 0.0));
        let (back, _) = weights(&small, 3).warmed_by(&warm);
        assert_eq!(back.get(name), trained.get(name));
    }
}
