//! Convolutions by a kernel of our own, for inference on GPUs.

mod kernel;

use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Backend, Dispatch, DispatchDevice, backend_extension};
use burn::tensor::{Device, Int, Tensor, TensorData};
use burn_cubecl::CubeBackend;

use self::kernel::Convolution;
use crate::ModelConfig;
use crate::taps::neighbors;

/// The operation that burn lacks. Without a backward pass: training uses burn's own operations.
#[backend_extension(Cube, Fusion)]
pub(crate) trait FusedConvolution: Backend {
    /// `relu(convolution of x + bias)`
    #[fusion(dtype = x, shape = x)]
    fn convolve(
        x: FloatTensor<Self>,
        taps: IntTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// `relu(residual + convolution of x + bias)`
    #[fusion(dtype = x, shape = x)]
    fn convolve_onto(
        residual: FloatTensor<Self>,
        x: FloatTensor<Self>,
        taps: IntTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;
}

impl FusedConvolution for CubeBackend {
    fn convolve(
        x: FloatTensor<Self>,
        taps: IntTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let layer = Convolution { taps, weight, bias };
        layer.run(x, None)
    }

    fn convolve_onto(
        residual: FloatTensor<Self>,
        x: FloatTensor<Self>,
        taps: IntTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let layer = Convolution { taps, weight, bias };
        layer.run(x, Some(residual))
    }
}

/// The squares that a convolution reads, on a device that runs the kernel.
#[derive(Clone, Debug)]
pub(super) struct Taps(Tensor<1, Int>);

impl Taps {
    /// Uploads the table; `None` if the device is none of those that CubeCL drives.
    pub(super) fn new(config: &ModelConfig, device: &Device) -> Option<Self> {
        if !matches!(device.as_dispatch(), DispatchDevice::Cube(_)) {
            return None;
        }
        let squares = neighbors(config.n_squares, config.n_taps);
        let squares: Vec<i32> = squares
            .map(|square| square.map_or(kernel::OFF_BOARD, |square| square as i32))
            .collect();
        let n_taps = squares.len();
        let squares = TensorData::new(squares, [n_taps]);
        Some(Self(Tensor::from_data(squares, device)))
    }

    /// `relu(residual + convolution of x + bias)` for `x` `[batch, squares, channels]`.
    pub(super) fn convolve(
        &self,
        x: Tensor<3>,
        weight: Tensor<2>,
        bias: Tensor<1>,
        residual: Option<Tensor<3>>,
    ) -> Tensor<3> {
        let (x, taps) = (x.into_dispatch(), self.0.clone().into_dispatch());
        let (weight, bias) = (weight.into_dispatch(), bias.into_dispatch());
        Tensor::from_dispatch(match residual {
            None => Dispatch::convolve(x, taps, weight, bias),
            Some(residual) => {
                Dispatch::convolve_onto(residual.into_dispatch(), x, taps, weight, bias)
            }
        })
    }
}
