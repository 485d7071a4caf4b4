//! Weights of one network in another of nearly the same shape.

use crate::ModelWeights;

impl ModelWeights {
    /// These untrained weights with those of a trained network in their place, wherever they fit, and the
    /// names of the tensors for which there are none.
    ///
    /// A tensor of the same shape is taken as it is. Convolutions that look at fewer or more squares share
    /// their first taps, the square itself and its diagonal neighbours; taps that the trained network lacks
    /// begin at zero, so that they change nothing at first. What belongs to single squares fits the same
    /// board only.
    #[must_use]
    pub fn warmed_by(self, trained: &ModelWeights) -> (ModelWeights, Vec<String>) {
        let (mut warm, mut untrained) = (ModelWeights::new(), Vec::new());
        for (name, array) in self.iter() {
            let (shape, mut values) = (array.shape.clone(), array.values.clone());
            match trained.get(name) {
                Some(found) if found.shape == shape => values.clone_from(&found.values),
                Some(found) if is_convolution(name) && found.shape[1..] == shape[1..] => {
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
}

/// Whether a tensor has a row for each tap and channel: those of the first tap come first.
fn is_convolution(name: &str) -> bool {
    name.starts_with("blocks.") && name.contains(".conv") && name.ends_with(".weight")
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{ModelConfig, Preset};

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
