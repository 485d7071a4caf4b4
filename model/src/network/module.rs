//! The whole network, and its parameters by name.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::nn::Linear;
use burn::tensor::{Device, FloatDType, Gradients, Tensor, Transaction};

use super::heads::{Heads, PolicyOutput, Value};
use super::layers::{Block, Input, Source};
use super::taps::gather_matrix;
use crate::{ModelConfig, ModelError, Weights};

/// The lattice network: residual blocks over the dark squares, a policy and a value head.
#[derive(Module, Debug)]
pub struct Network {
    input: Input,
    blocks: Vec<Block>,
    policy: Linear,
    value: Value,
    soft_policy: Option<Linear>,
    short_value: Option<Linear>,
    gather: Tensor<3>, // [1, squares * taps, squares]
}

impl Network {
    /// The network with these weights; the auxiliary heads are left out when `weights` has none.
    /// On a device with autodiff it can be trained.
    ///
    /// # Errors
    /// When `weights` lacks a tensor or has one of another shape.
    pub fn new(
        config: &ModelConfig,
        weights: &Weights,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let source = Source::new(weights, device);
        let linear = |name, n_inputs| {
            let source = source.at(name);
            let n_outputs = source.n_outputs();
            n_outputs
                .map(|n_outputs| source.linear(n_inputs, n_outputs))
                .transpose()
        };
        Ok(Self {
            input: Input::new(&source.at("input"), config.n_squares, config.channels)?,
            blocks: (0..config.blocks)
                .map(|index| {
                    let source = source.at("blocks").at(&index.to_string());
                    Block::new(
                        &source,
                        config.n_taps,
                        config.channels,
                        config.is_pooled(index),
                    )
                })
                .collect::<Result<_, _>>()?,
            policy: source
                .at("policy")
                .linear(config.channels, config.policy_outputs())?,
            value: Value::new(&source.at("value"), config)?,
            soft_policy: linear("soft_policy", config.channels)?,
            short_value: linear("short_value", config.value_hidden)?,
            gather: gather_matrix(config.n_squares, config.n_taps, device),
        })
    }

    /// The same network, whose blocks are computed in 16 bits; it cannot be trained.
    #[must_use]
    pub fn halved(self) -> Self {
        Self {
            blocks: self.blocks.map(&mut Halve),
            gather: self.gather.cast(FloatDType::F16),
            ..self
        }
    }

    /// Evaluates positions given as `planes` `[batch, squares, PLANES]` and `globals` `[batch,
    /// GLOBALS]`.
    pub fn forward(&self, planes: Tensor<3>, globals: Tensor<2>) -> Heads {
        let mut x = self.input.forward(planes, globals); // [batch, squares, channels]
        x = x.cast(self.gather.dtype());
        for block in &self.blocks {
            x = block.forward(x, &self.gather);
        }
        x = x.cast(FloatDType::F32);
        let soft_policy = self.soft_policy.as_ref();
        let short_value = self.short_value.as_ref();
        let hidden = self.value.hidden(x.clone());
        Heads {
            soft_policy: soft_policy.map(|layer| PolicyOutput::new(layer, x.clone())),
            policy: PolicyOutput::new(&self.policy, x),
            wdl: self.value.out.forward(hidden.clone()),
            short_value: short_value.map(|layer| layer.forward(hidden)),
        }
    }

    /// All parameters by name.
    ///
    /// # Errors
    /// When the device cannot be read.
    pub fn to_weights(&self) -> Result<Weights, ModelError> {
        self.read(None)
    }

    /// The gradient of every parameter by the parameter's name; zeros for one that the loss does
    /// not depend on.
    ///
    /// # Errors
    /// When the device cannot be read.
    pub fn gradients(&self, gradients: &Gradients) -> Result<Weights, ModelError> {
        self.read(Some(gradients))
    }

    fn read(&self, gradients: Option<&Gradients>) -> Result<Weights, ModelError> {
        let mut reader = Reader {
            gradients,
            path: Vec::new(),
            tensors: Vec::new(),
            transaction: Transaction::default(),
        };
        self.visit(&mut reader);
        let data = reader.transaction.try_execute().map_err(device_error)?;
        let mut weights = Weights::new();
        for ((name, shape), data) in reader.tensors.into_iter().zip(data) {
            let values = data.try_into_vec_as::<f32>().map_err(device_error)?;
            weights.insert(name, shape, values);
        }
        Ok(weights)
    }
}

/// Rounds parameters to 16 bits.
struct Halve;

impl ModuleMapper for Halve {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|tensor| tensor.cast(FloatDType::F16))
    }
}

/// Collects parameters, or their gradients, to be read from the device all at once.
struct Reader<'a> {
    gradients: Option<&'a Gradients>,
    path: Vec<String>,
    tensors: Vec<(String, Vec<usize>)>,
    transaction: Transaction,
}

impl ModuleVisitor for Reader<'_> {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val();
        let tensor = match self.gradients {
            None => value,
            Some(gradients) => value
                .grad(gradients)
                .unwrap_or_else(|| value.zeros_like().inner()),
        };
        self.tensors
            .push((self.path.join("."), tensor.dims().to_vec()));
        let transaction = std::mem::take(&mut self.transaction);
        self.transaction = transaction.register(tensor);
    }
}

pub(super) fn device_error(error: impl std::fmt::Display) -> ModelError {
    ModelError::Device {
        message: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Preset;

    #[test]
    fn parameters_have_the_names_of_the_configuration() {
        for (n_squares, n_taps) in [(32, 5), (50, 9)] {
            let config = Preset::Nano.config(n_squares, n_taps);
            let weights = Weights::initial(&config, &mut ChaCha8Rng::seed_from_u64(3));
            let network = Network::new(&config, &weights, &Device::flex()).unwrap();
            assert_eq!(network.to_weights().unwrap(), weights);
        }
    }
}
