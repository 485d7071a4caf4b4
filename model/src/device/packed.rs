//! Compact inputs for the transfer to a device.

use std::ops::Range;

use burn::tensor::{Device, Int, Tensor, TensorData};
use rayon::prelude::*;
use search::Batch;

use crate::encoding::Features;
use crate::{GLOBALS, ModelConfig, PLANES};

// A square's planes are bits of a positive number.
const _: () = assert!(PLANES < i32::BITS as usize);

/// The minimum number of positions that a thread encodes, so that handing them out costs little.
pub(super) const ROWS_A_THREAD: usize = 64;

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
    /// Encodes a chunk of a batch on all threads, padded with empty positions to `batch_size`.
    pub(super) fn new(
        batch: &Batch,
        chunk: Range<usize>,
        batch_size: usize,
        config: &ModelConfig,
    ) -> Self {
        let (n_squares, n_planes) = (config.n_squares, config.n_planes());
        let mut inputs = Self {
            shape: [batch_size, n_squares, n_planes],
            squares: vec![0; batch_size * n_squares],
            values: vec![0.0; batch_size * n_planes],
            globals: vec![0.0; batch_size * GLOBALS],
        };
        let squares = inputs.squares.par_chunks_exact_mut(n_squares);
        let values = inputs.values.par_chunks_exact_mut(n_planes);
        let globals = inputs.globals.par_chunks_exact_mut(GLOBALS);
        let rows = (squares, values, globals, chunk).into_par_iter();
        let encode = |(seen, values, globals, index): (&mut [i32], &mut [f32], &mut [f32], _)| {
            let request = batch.request(index);
            let board = request.position.board();
            let features = Features::new(config.inputs, request.position, request.repetitions);
            let planes = values.iter_mut().zip(features.planes).enumerate();
            for (plane, (value, (squares, of_all))) in planes {
                *value = of_all;
                for square in squares {
                    seen[board.token(square)] |= 1 << plane;
                }
            }
            globals.copy_from_slice(&features.globals);
        };
        rows.with_min_len(ROWS_A_THREAD).for_each(encode);
        inputs
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
