//! Compact inputs for the transfer to a device.

use burn::tensor::{Device, Int, Tensor, TensorData};
use rules::Board;

use crate::encoding::Features;
use crate::{GLOBALS, ModelConfig, PLANES};

// A square's planes are bits of a positive number.
const _: () = assert!(PLANES < i32::BITS as usize);

/// Inputs of a batch in an eighth of the size of dense planes, which are mostly 0: transferring
/// dense planes takes a GPU a third as long as computing.
pub(super) struct PackedInputs {
    /// `[batch, squares, planes]`
    shape: [usize; 3],
    /// `[batch, squares]`: bit `p` is set if plane `p` has a value there.
    squares: Vec<i32>,
    /// `[batch, planes]`: the value that a plane has on all its squares.
    values: Vec<f32>,
    /// `[batch, globals]`
    globals: Vec<f32>,
}

impl PackedInputs {
    /// Allocates `batch` empty positions for a network of this shape.
    pub(super) fn new(batch: usize, config: &ModelConfig) -> Self {
        let (n_squares, n_planes) = (config.n_squares, config.n_planes());
        Self {
            shape: [batch, n_squares, n_planes],
            squares: vec![0; batch * n_squares],
            values: vec![0.0; batch * n_planes],
            globals: vec![0.0; batch * GLOBALS],
        }
    }

    /// Writes the features of position `index`, which must be empty.
    pub(super) fn set(&mut self, index: usize, board: Board, features: &Features) {
        let [_, n_squares, n_planes] = self.shape;
        let seen = &mut self.squares[index * n_squares..][..n_squares];
        let values = &mut self.values[index * n_planes..][..n_planes];
        for (plane, (value, (squares, of_all))) in
            values.iter_mut().zip(features.planes).enumerate()
        {
            *value = of_all;
            for square in squares {
                seen[board.token(square)] |= 1 << plane;
            }
        }
        self.globals[index * GLOBALS..][..GLOBALS].copy_from_slice(&features.globals);
    }

    /// The network's inputs on the device: planes `[batch, squares, planes]` and globals `[batch, globals]`.
    pub(super) fn unpack(self, device: &Device) -> (Tensor<3>, Tensor<2>) {
        let shape = self.shape;
        let [batch, n_squares, n_planes] = shape;
        let squares = TensorData::new(self.squares, [batch, n_squares, 1]);
        let values = TensorData::new(self.values, [batch, 1, n_planes]);
        let globals = TensorData::new(self.globals, [batch, GLOBALS]);
        let squares = Tensor::<3, Int>::from_data(squares, device).expand(shape);
        let plane = Tensor::arange(0..n_planes as i64, device).reshape([1, 1, n_planes]);
        let has_value = squares
            .bitwise_right_shift(plane.expand(shape))
            .bitwise_and_scalar(1);
        let values = Tensor::<3>::from_data(values, device);
        (
            has_value.float() * values,
            Tensor::from_data(globals, device),
        )
    }
}
