//! Convolutions over the lattice of dark squares.

use burn::tensor::activation::relu;
use burn::tensor::module::linear;
use burn::tensor::{Device, FloatDType, Tensor, TensorData};

use super::linear::Linear;
use crate::ModelConfig;
use crate::taps::neighbors;

/// The way in which a device computes convolutions. The function is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convolution {
    /// Copies the channels of each square's taps by a matrix product, and multiplies them by the
    /// weights.
    #[default]
    Gathered,
    /// A kernel of our own that gathers while it multiplies, and applies the bias, the residual and
    /// the ReLU; it has no backward pass. Devices on which it does not run get [`Self::Gathered`].
    Fused,
}

impl Convolution {
    /// All ways.
    pub const ALL: [Self; 2] = [Self::Gathered, Self::Fused];
}

/// Convolutions over the trunk's activations `[batch, squares, channels]`.
#[derive(Clone, Debug)]
pub(super) enum Lattice {
    /// The matrix `[1, squares * taps, squares]` has a row for each square and tap that selects the
    /// input square, or zeros off the board. Its precision is the precision of products.
    ///
    /// Gathering by this product costs as much as a small convolution. Still, it makes training
    /// steps faster than any other way to gather in burn: its backward pass is a product too, while
    /// the backward passes of `select`, slices and shifted sums scatter into new tensors.
    Gathered(Tensor<3>),
    /// See [`Convolution::Fused`].
    #[cfg(feature = "fused")]
    Fused(super::fused::Taps),
}

impl Lattice {
    #[cfg_attr(
        not(feature = "fused"),
        expect(unused_variables, reason = "without our kernel there is one way")
    )]
    pub(super) fn new(config: &ModelConfig, convolution: Convolution, device: &Device) -> Self {
        #[cfg(feature = "fused")]
        if convolution == Convolution::Fused
            && let Some(taps) = super::fused::Taps::new(config, device)
        {
            return Self::Fused(taps);
        }
        let n_squares = config.n_squares;
        let row =
            |input| (0..n_squares).map(move |square| f32::from(u8::from(Some(square) == input)));
        let rows: Vec<f32> = neighbors(n_squares, config.n_taps).flat_map(row).collect();
        let shape = [1, n_squares * config.n_taps, n_squares];
        Self::Gathered(Tensor::from_data(TensorData::new(rows, shape), device))
    }

    /// Sets the precision of products.
    pub(super) fn cast(self, dtype: FloatDType) -> Self {
        match self {
            Self::Gathered(gather) => Self::Gathered(gather.cast(dtype)),
            #[cfg(feature = "fused")]
            fused @ Self::Fused(_) => fused,
        }
    }

    /// `relu(residual + convolution of x + bias)`.
    pub(super) fn convolve(
        &self,
        layer: &Linear,
        x: Tensor<3>,
        residual: Option<Tensor<3>>,
    ) -> Tensor<3> {
        let Linear { weight, bias } = layer.clone();
        let bias = bias.expect("every convolution has a bias");
        let gather = match self {
            Self::Gathered(gather) => gather.clone(),
            #[cfg(feature = "fused")]
            Self::Fused(taps) => return taps.convolve(x, weight, bias, residual),
        };
        let ([batch, n_squares, _], stream) = (x.dims(), x.dtype());
        let (products, n_rows) = (gather.dtype(), weight.dims()[0]);
        let gathered = gather.matmul(x.cast(products));
        // One product over all squares: a plain product would be computed per position.
        let rows = gathered.reshape([batch, n_squares, n_rows]);
        let sums = linear(rows, weight.cast(products), None);
        let sums = sums.cast(stream) + bias.unsqueeze();
        relu(match residual {
            Some(residual) => residual + sums,
            None => sums,
        })
    }
}
