//! Properties of the graph: tensors by name, initial values, operation counts, and offsets in a
//! flat vector.

use std::ops::Range;

use rand::{Rng, RngExt};

use crate::graph::{End, Layer, Op, graph};
use crate::tensor::TensorSpec;
use crate::{ModelConfig, ModelError, ModelWeights, NetworkHeads};

/// All tensors of a graph, in the order in which initial values are drawn and flat vectors are
/// written: the order of computation, except that a pooling comes after its block's convolutions.
pub fn tensors(ops: &[Op]) -> Vec<TensorSpec> {
    let (mut specs, mut pooling) = (Vec::new(), Vec::new());
    for op in ops {
        let of_op = op.layers().into_iter().flat_map(|layer| layer.tensors());
        match op {
            Op::PoolBias { .. } => pooling.extend(of_op.cloned()),
            // The input's bias belongs to its last layer, so it comes last.
            _ => specs.extend(of_op.cloned()),
        }
        if matches!(
            op,
            Op::Conv {
                end: End::Residual,
                ..
            }
        ) {
            specs.append(&mut pooling);
        }
    }
    specs
}

/// An untrained network: normal distributions with each tensor's deviation.
fn untrained(ops: &[Op], rng: &mut impl Rng) -> ModelWeights {
    let mut weights = ModelWeights::new();
    for tensor in tensors(ops) {
        let values = (0..tensor.n_values())
            .map(|_| tensor.deviation * standard_normal(rng))
            .collect();
        weights.insert(tensor.name, tensor.shape, values);
    }
    weights
}

/// A standard normal value (Box and Muller 1958), the same on every machine.
fn standard_normal(rng: &mut impl Rng) -> f32 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    let radius = (-2.0 * libm::log(1.0 - radius)).sqrt();
    (radius * libm::cos(std::f64::consts::TAU * angle)) as f32
}

impl ModelConfig {
    /// The operations of inference.
    pub fn graph(&self) -> Vec<Op> {
        graph(self, &NetworkHeads::exported(self))
    }

    /// Every tensor used in inference.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        tensors(&self.graph())
    }

    /// The number of weights used in inference.
    pub fn n_parameters(&self) -> usize {
        self.tensors().iter().map(TensorSpec::n_values).sum()
    }

    /// Floating point operations per evaluation, counting an addition and a multiplication as two.
    /// Squares off the board are included, because the kernels compute them. The input and the last
    /// layer, with few rows, are not.
    pub fn flops(&self) -> usize {
        self.flops_of(|_| true)
    }

    /// The part of [`flops`](Self::flops) in convolutions.
    pub fn convolution_flops(&self) -> usize {
        self.flops_of(|op| matches!(op, Op::Conv { .. }))
    }

    fn flops_of(&self, is_counted: impl Fn(&Op) -> bool) -> usize {
        let n_weights = |op: &Op| -> usize {
            let weights = op.layers().into_iter().map(|layer| layer.weight.n_values());
            weights.sum()
        };
        let flops = |op: &Op| match op {
            Op::Embed { .. } | Op::BoardHead { .. } => 0,
            Op::Conv { .. } | Op::SquareHead { .. } => 2 * self.n_squares * n_weights(op),
            Op::PoolBias { .. } => 2 * n_weights(op),
            Op::Summary { squares, hidden } => {
                2 * (self.n_squares * squares.weight.n_values() + hidden.weight.n_values())
            }
        };
        let graph = self.graph();
        let counted = graph.iter().filter(|op| is_counted(op));
        counted.map(flops).sum()
    }
}

impl ModelWeights {
    /// An untrained network for inference: each tensor is initialized according to its
    /// [`TensorSpec`].
    pub fn initial(config: &ModelConfig, rng: &mut impl Rng) -> Self {
        untrained(&config.graph(), rng)
    }

    /// An untrained network with these heads. The tensors used in inference equal
    /// [`ModelWeights::initial`].
    pub fn initial_with(config: &ModelConfig, heads: &NetworkHeads, rng: &mut impl Rng) -> Self {
        untrained(&graph(config, heads), rng)
    }

    /// The weights of a layer and its bias, which is empty if it has none.
    pub(crate) fn layer(&self, layer: &Layer) -> Result<(&[f32], &[f32]), ModelError> {
        let of = |tensor: &TensorSpec| self.values(&tensor.name, &tensor.shape);
        let bias = layer.bias.as_ref().map(of).transpose()?;
        Ok((of(&layer.weight)?, bias.unwrap_or_default()))
    }

    /// Checks that every tensor required by `config` exists, has the right shape and is finite.
    ///
    /// # Errors
    /// The first problem found.
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

/// Offsets of the tensors in a flat vector of all trainable values.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The tensors and their ranges.
    pub tensors: Vec<(TensorSpec, Range<usize>)>,
    /// The number of trainable values.
    pub n_values: usize,
}

impl Layout {
    /// Concatenates all tensors of a graph.
    pub fn new(ops: &[Op]) -> Self {
        let mut n_values = 0;
        let place = |spec: TensorSpec| {
            let start = n_values;
            n_values += spec.n_values();
            (spec, start..n_values)
        };
        let tensors = tensors(ops).into_iter().map(place).collect();
        Self { tensors, n_values }
    }

    /// Concatenates all values; takes tensors missing in `weights` from `untrained`.
    ///
    /// # Errors
    /// When both lack a tensor, or one has another shape.
    pub fn flatten(
        &self,
        weights: &ModelWeights,
        untrained: &ModelWeights,
    ) -> Result<Vec<f32>, ModelError> {
        let mut values = Vec::with_capacity(self.n_values);
        for (spec, _) in &self.tensors {
            let source = match weights.get(&spec.name) {
                Some(_) => weights,
                None => untrained,
            };
            values.extend_from_slice(source.values(&spec.name, &spec.shape)?);
        }
        Ok(values)
    }

    /// Splits `values` into tensors.
    pub fn unflatten(&self, values: &[f32]) -> ModelWeights {
        let mut weights = ModelWeights::new();
        for (TensorSpec { name, shape, .. }, range) in &self.tensors {
            weights.insert(name, shape.clone(), values[range.clone()].to_vec());
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

    fn all_heads(config: &ModelConfig) -> Vec<Op> {
        graph(config, &NetworkHeads::trained(config, |_| true))
    }

    #[test]
    fn tensors_have_the_order_of_the_first_models() {
        let config = ModelConfig {
            blocks: 2,
            ..Preset::Nano.config(32, 5)
        };
        let names: Vec<_> = tensors(&all_heads(&config))
            .into_iter()
            .map(|tensor| tensor.name)
            .collect();
        let block = |index: usize| {
            ["conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias"]
                .map(|part| format!("blocks.{index}.{part}"))
        };
        let input = ["weight", "position", "global", "bias"].map(|part| format!("input.{part}"));
        let heads = [
            "policy",
            "value.square",
            "value.hidden",
            "value.out",
            "soft_policy",
        ];
        let heads = heads.map(|name| [format!("{name}.weight"), format!("{name}.bias")]);
        let mut expected = [input, block(0), block(1)].concat();
        expected.push("blocks.1.pool.weight".to_owned());
        expected.extend(heads.concat());
        assert_eq!(names, expected);
    }

    #[test]
    fn nano_does_the_work_that_was_planned() {
        let nano = Preset::Nano.config(32, 5);
        assert_eq!(nano.n_parameters(), 64_876);
        // By hand: 8 convolutions, 2 poolings, the policy's 33 columns, the summary.
        let expected = 8 * 2 * 32 * 160 * 32 + 2 * 2 * 64 * 32 + 2 * 32 * 32 * 33;
        assert_eq!(nano.flops(), expected + 2 * 32 * 32 * 8 + 2 * 256 * 64);
    }

    #[test]
    fn flattening_loses_nothing() {
        let config = Preset::Nano.config(32, 5);
        let ops = all_heads(&config);
        let weights = untrained(&ops, &mut ChaCha8Rng::seed_from_u64(5));
        let layout = Layout::new(&ops);
        let flat = layout.flatten(&weights, &ModelWeights::new()).unwrap();
        assert_eq!(flat.len(), layout.n_values);
        assert_eq!(layout.unflatten(&flat), weights);
        let inference = Layout::new(&config.graph());
        assert_eq!(inference.n_values, config.n_parameters());
        assert_eq!(
            inference.flatten(&weights, &ModelWeights::new()).unwrap(),
            flat[..inference.n_values]
        );
    }

    #[test]
    fn only_matrices_decay() {
        let layout = Layout::new(&all_heads(&Preset::Nano.config(32, 5)));
        for (spec, _) in &layout.tensors {
            let is_table = ["input.position", "input.global"].contains(&spec.name.as_str());
            let is_matrix = spec.shape.len() == 2 && !is_table;
            assert_eq!(spec.decays, is_matrix, "{}", spec.name);
        }
    }

    #[test]
    fn hidden_matrices_lead_from_layer_to_layer() {
        let layout = Layout::new(&all_heads(&Preset::Nano.config(32, 5)));
        for (spec, _) in &layout.tensors {
            let name = spec.name.as_str();
            let is_block = name.starts_with("blocks.") && name.ends_with(".weight");
            let is_hidden = is_block || name == "value.hidden.weight";
            assert_eq!(spec.is_hidden, is_hidden, "{name}");
        }
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
