//! Convolutions over the lattice of dark squares.

use burn::tensor::activation::relu;
use burn::tensor::module::{conv2d, linear};
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, FloatDType, Tensor, TensorData};

use super::linear::Linear;
use crate::ModelConfig;
use crate::taps::{neighbors, turned_cells, turned_steps};

/// The way in which a device computes convolutions. The function is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convolution {
    /// Copies the channels of each square's taps by a matrix product, and multiplies them by the
    /// weights.
    #[default]
    Gathered,
    /// burn's `conv2d` on the board turned by 45 degrees: diagonal neighbors become the neighbors
    /// along rows and columns. Almost half of its cells are no squares, and with 5 taps the corners
    /// of a kernel are 0.
    Turned,
    /// A kernel of our own that gathers while it multiplies, and applies the bias, the residual and
    /// the ReLU; it has no backward pass. Devices on which it does not run get [`Self::Gathered`].
    Fused,
}

impl Convolution {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Gathered, Self::Turned, Self::Fused];
}

/// The layout of the trunk's activations `[batch, cells, channels]`, and convolutions in it.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a network has one")]
pub(super) enum Lattice {
    /// Cells are squares. The matrix `[1, squares * taps, squares]` has a row for each square and
    /// tap that selects the input square, or zeros off the board.
    ///
    /// Gathering by this product costs as much as a small convolution. Still, it makes training
    /// steps faster than any other way to gather in burn: its backward pass is a product too, while
    /// the backward passes of `select`, slices and shifted sums scatter into new tensors.
    Gathered(Tensor<3>),
    /// Cells of the turned board. Cells that are no squares have zeros.
    Turned {
        /// Rows and columns.
        size: [usize; 2],
        /// `[1, cells, squares]`: 1 where the cell is the square.
        cells: Tensor<3>,
        /// `[1, cells, 1]`: 1 for the cells that are squares.
        is_square: Tensor<3>,
        /// `[9, taps]`: 1 where the kernel's cell is the tap's.
        kernel: Tensor<2>,
    },
    /// Cells are squares.
    #[cfg(feature = "fused")]
    Fused(super::fused::Taps),
}

impl Lattice {
    pub(super) fn new(config: &ModelConfig, convolution: Convolution, device: &Device) -> Self {
        let (n_squares, n_taps) = (config.n_squares, config.n_taps);
        #[cfg(feature = "fused")]
        if convolution == Convolution::Fused
            && let Some(taps) = super::fused::Taps::new(config, device)
        {
            return Self::Fused(taps);
        }
        if convolution != Convolution::Turned {
            let rows = neighbors(n_squares, n_taps);
            return Self::Gathered(selection(rows, n_squares, device).unsqueeze());
        }
        let (size, cells) = turned_cells(n_squares);
        let n_cells = size[0] * size[1];
        let square_of = |cell| cells.iter().position(|&found| found == cell);
        let cells = selection((0..n_cells).map(square_of), n_squares, device);
        let taps = turned_steps(n_taps);
        let tap_of = |cell: isize| {
            let step = [cell / 3 - 1, cell % 3 - 1];
            taps.iter().position(|&tap| tap == step)
        };
        Self::Turned {
            size,
            is_square: cells.clone().sum_dim(1).unsqueeze(),
            cells: cells.unsqueeze(),
            kernel: selection((0..9).map(tap_of), n_taps, device),
        }
    }

    /// Sets the precision of products.
    pub(super) fn cast(self, dtype: FloatDType) -> Self {
        match self {
            Self::Gathered(gather) => Self::Gathered(gather.cast(dtype)),
            Self::Turned {
                size,
                cells,
                is_square,
                kernel,
            } => Self::Turned {
                size,
                cells: cells.cast(dtype),
                is_square: is_square.cast(dtype),
                kernel,
            },
            #[cfg(feature = "fused")]
            fused @ Self::Fused(_) => fused,
        }
    }

    /// The weights `[taps * inputs, outputs]` in the form for [`convolve`](Self::convolve):
    /// unchanged, or `[outputs * 9, inputs]`.
    pub(super) fn prepare(&self, weight: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Gathered(gather) => weight.cast(gather.dtype()),
            Self::Turned { cells, kernel, .. } => {
                let ([n_rows, n_outputs], [n_cells, n_taps]) = (weight.dims(), kernel.dims());
                let n_inputs = n_rows / n_taps;
                let rows = weight.reshape([n_taps, n_inputs * n_outputs]);
                let rows = kernel.clone().matmul(rows); // [9, inputs * outputs]
                let columns = rows.reshape([n_cells * n_inputs, n_outputs]).transpose();
                let weight = columns.reshape([n_outputs * n_cells, n_inputs]);
                weight.cast(cells.dtype())
            }
            #[cfg(feature = "fused")]
            Self::Fused(_) => weight,
        }
    }

    /// `relu(residual + convolution of x + bias)`; cells that are no squares stay 0. The weights of
    /// `layer` are from [`prepare`](Self::prepare).
    pub(super) fn convolve(
        &self,
        layer: &Linear,
        x: Tensor<3>,
        residual: Option<Tensor<3>>,
    ) -> Tensor<3> {
        let Linear { weight, bias } = layer.clone();
        let bias = bias.expect("every convolution has a bias");
        let ([batch, n_cells, channels], stream) = (x.dims(), x.dtype());
        let sums = match self {
            Self::Gathered(gather) => {
                let n_rows = weight.dims()[0];
                let gathered = gather.clone().matmul(x.cast(gather.dtype()));
                // One product over all squares: a plain product would be computed per position.
                linear(gathered.reshape([batch, n_cells, n_rows]), weight, None)
            }
            Self::Turned { size, .. } => {
                // burn's kernels want channels last in memory, its interface wants them first.
                let n_outputs = weight.dims()[0] / 9;
                let kernel = weight.reshape([n_outputs, 3, 3, channels]);
                let image = x.cast(kernel.dtype());
                let image = image.reshape([batch, size[0], size[1], channels]);
                let sums = conv2d(
                    image.permute([0, 3, 1, 2]),
                    kernel.permute([0, 3, 1, 2]),
                    None,
                    ConvOptions::new([1, 1], [1, 1], [1, 1], 1),
                );
                let sums = sums.permute([0, 2, 3, 1]);
                sums.reshape([batch, n_cells, n_outputs])
            }
            #[cfg(feature = "fused")]
            Self::Fused(taps) => return taps.convolve(x, weight, bias, residual),
        };
        let sums = self.clear(sums.cast(stream) + bias.unsqueeze());
        relu(match residual {
            Some(residual) => residual + sums,
            None => sums,
        })
    }

    /// The mean over the squares and the maximum, `[batch, 1, 2 * channels]`; no value is negative.
    pub(super) fn pool(&self, x: Tensor<3>) -> Tensor<3> {
        let n_squares = match self {
            Self::Turned { cells, .. } => cells.dims()[2],
            _ => x.dims()[1],
        };
        let mean = x.clone().sum_dim(1) / n_squares as f32;
        Tensor::cat(vec![mean, x.max_dim(1)], 2)
    }

    /// Sets all cells that are no squares to 0.
    pub(super) fn clear(&self, x: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Turned { is_square, .. } => {
                let is_square = is_square.clone().cast(x.dtype());
                x * is_square
            }
            _ => x,
        }
    }

    /// Moves squares `[batch, squares, channels]` to their cells.
    pub(super) fn spread(&self, squares: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Turned { cells, .. } => cells.clone().cast(squares.dtype()).matmul(squares),
            _ => squares,
        }
    }

    /// Moves cells back to their squares.
    pub(super) fn collect(&self, x: Tensor<3>) -> Tensor<3> {
        match self {
            Self::Turned { cells, .. } => {
                let squares = cells.clone().cast(x.dtype()).swap_dims(1, 2);
                squares.matmul(x)
            }
            _ => x,
        }
    }
}

/// A matrix with a 1 in each row at the column given, or without one.
fn selection(
    rows: impl IntoIterator<Item = Option<usize>>,
    n_columns: usize,
    device: &Device,
) -> Tensor<2> {
    let row = |column| (0..n_columns).map(move |index| f32::from(u8::from(Some(index) == column)));
    let values: Vec<f32> = rows.into_iter().flat_map(row).collect();
    let n_rows = values.len() / n_columns;
    Tensor::from_data(TensorData::new(values, [n_rows, n_columns]), device)
}
