//! The layers of the trunk.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};

use crate::{ModelError, Weights};

/// Reads parameters whose names begin with a path.
pub(super) struct Source<'a> {
    weights: &'a Weights,
    device: &'a Device,
    path: String,
}

impl<'a> Source<'a> {
    pub(super) fn new(weights: &'a Weights, device: &'a Device) -> Self {
        Self {
            weights,
            device,
            path: String::new(),
        }
    }

    /// The parameters under `name`.
    pub(super) fn at(&self, name: &str) -> Self {
        Self {
            path: format!("{}{name}.", self.path),
            ..*self
        }
    }

    /// Outputs of the product under this path, if there is one.
    pub(super) fn n_outputs(&self) -> Option<usize> {
        let bias = self.weights.get(&format!("{}bias", self.path))?;
        Some(bias.values.len())
    }

    /// The parameter `name` of this shape.
    pub(super) fn param<const D: usize>(
        &self,
        name: &str,
        shape: [usize; D],
    ) -> Result<Param<Tensor<D>>, ModelError> {
        let name = format!("{}{name}", self.path);
        let values = self.weights.values(&name, &shape)?;
        let data = TensorData::new(values.to_vec(), shape);
        Ok(Param::from_data(data, self.device))
    }

    /// A product with a bias.
    pub(super) fn linear(&self, inputs: usize, outputs: usize) -> Result<Linear, ModelError> {
        Ok(Linear {
            weight: self.param("weight", [inputs, outputs])?,
            bias: Some(self.param("bias", [outputs])?),
        })
    }
}

/// From the planes of a position to the trunk's channels.
#[derive(Module, Debug)]
pub(super) struct Input {
    weight: Param<Tensor<2>>,   // [planes, channels]
    position: Param<Tensor<2>>, // [squares, channels]
    global: Param<Tensor<2>>,   // [globals, channels]
    bias: Param<Tensor<1>>,     // [channels]
}

impl Input {
    pub(super) fn new(
        source: &Source<'_>,
        n_squares: usize,
        channels: usize,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            weight: source.param("weight", [crate::PLANES, channels])?,
            position: source.param("position", [n_squares, channels])?,
            global: source.param("global", [crate::GLOBALS, channels])?,
            bias: source.param("bias", [channels])?,
        })
    }

    pub(super) fn forward(&self, planes: Tensor<3>, globals: Tensor<2>) -> Tensor<3> {
        let squares = planes.matmul(self.weight.val().unsqueeze()); // [batch, squares, channels]
        let board = self.position.val().unsqueeze(); // [1, squares, channels]
        let globals = globals.matmul(self.global.val()) + self.bias.val().unsqueeze();
        relu(squares + board + globals.unsqueeze_dim(1))
    }
}

/// Two convolutions over the lattice, added to what came in.
#[derive(Module, Debug)]
pub(super) struct Block {
    conv1: Linear,
    pool: Option<Pool>,
    conv2: Linear,
}

impl Block {
    pub(super) fn new(
        source: &Source<'_>,
        n_taps: usize,
        channels: usize,
        pooled: bool,
    ) -> Result<Self, ModelError> {
        let pool = pooled.then(|| Pool::new(&source.at("pool"), channels));
        Ok(Self {
            conv1: source.at("conv1").linear(n_taps * channels, channels)?,
            pool: pool.transpose()?,
            conv2: source.at("conv2").linear(n_taps * channels, channels)?,
        })
    }

    pub(super) fn forward(&self, x: Tensor<3>, gather: &Tensor<3>) -> Tensor<3> {
        let y = relu(convolve(&self.conv1, x.clone(), gather));
        let y = match &self.pool {
            Some(pool) => pool.forward(y),
            None => y,
        };
        relu(x + convolve(&self.conv2, y, gather))
    }
}

/// Each square's taps side by side, then one product.
fn convolve(layer: &Linear, x: Tensor<3>, gather: &Tensor<3>) -> Tensor<3> {
    let [batch, n_squares, channels] = x.dims();
    let n_taps = gather.dims()[1] / n_squares;
    let gathered = gather.clone().matmul(x); // [batch, squares * taps, channels]
    layer.forward(gathered.reshape([batch, n_squares, n_taps * channels]))
}

/// Adds to every square what the mean and the maximum over the board say (KataGo's global pooling).
#[derive(Module, Debug)]
struct Pool {
    weight: Param<Tensor<2>>, // [2 * channels, channels]
}

impl Pool {
    fn new(source: &Source<'_>, channels: usize) -> Result<Self, ModelError> {
        Ok(Self {
            weight: source.param("weight", [2 * channels, channels])?,
        })
    }

    fn forward(&self, y: Tensor<3>) -> Tensor<3> {
        let board = Tensor::cat(vec![y.clone().mean_dim(1), y.clone().max_dim(1)], 2);
        y + board.matmul(self.weight.val().unsqueeze())
    }
}
