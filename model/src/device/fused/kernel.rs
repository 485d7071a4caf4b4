//! The kernel. A workgroup computes some channels of a few whole positions: it keeps their inputs
//! in shared memory, a part of the channels at a time, finds the neighbors of its squares there,
//! and streams the weights. Sums are in 32 bits; the bias, the residual and the ReLU are applied
//! before the only write.

use burn::backend::cubecl::dtype_to_storage_type;
use burn_cubecl::cubecl;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;
use cubecl::ir::{ElemType, HardwareProperties};
use cubecl::prelude::*;

/// The entry of the table of taps for a neighbor off the board.
pub(super) const OFF_BOARD: i32 = -1;

/// The number of channels in a vector. The number of channels is a multiple of it.
const VECTOR: usize = 4;
/// The squares for which a unit computes a vector of channels, so that it uses a weight often.
const ROWS: usize = 8;
/// The most vectors of channels that a workgroup computes, and its most units.
const MOST: [usize; 2] = [32, 256];

/// A convolution's tensors.
pub(super) struct Convolution {
    /// `[squares * taps]`: the input square, or [`OFF_BOARD`].
    pub(super) taps: CubeTensor,
    /// `[taps * inputs, outputs]`
    pub(super) weight: CubeTensor,
    /// `[outputs]`
    pub(super) bias: CubeTensor,
}

impl Convolution {
    /// Computes `relu(residual + convolution of x + bias)` for `x` `[batch, squares, inputs]`.
    pub(super) fn run(self, x: CubeTensor, residual: Option<CubeTensor>) -> CubeTensor {
        let [batch, n_squares, inputs] = x.meta.shape().dims();
        let [_, outputs] = self.weight.meta.shape().dims();
        let (client, dtype) = (x.client.clone(), x.dtype);
        let shape = [batch, n_squares, outputs].into();
        let out = empty_device_contiguous_dtype(client.clone(), x.device.clone(), shape, dtype);
        let tile = Tile::new(
            [n_squares, self.taps.meta.shape().num_elements() / n_squares],
            [inputs, outputs],
            dtype.size(),
            &client.properties().hardware,
        );
        let types = [dtype, self.taps.dtype].map(dtype_to_storage_type);
        let argument = |tensor| into_contiguous(tensor).into_buffer_arg();
        convolve::launch(
            &client,
            tile.workgroups(batch),
            tile.units(),
            VECTOR,
            argument(x),
            LayerLaunch::new(
                argument(self.taps),
                argument(self.weight),
                argument(self.bias),
            ),
            residual.map(argument).into(),
            out.clone().into_buffer_arg(),
            tile,
            types,
        );
        out
    }
}

/// The part of a batch that a workgroup computes. Channels are counted in vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Tile {
    n_squares: usize,
    n_taps: usize,
    inputs: usize,
    outputs: usize,
    /// The outputs that a workgroup computes.
    columns: usize,
    /// The squares of its positions.
    rows: usize,
    /// The inputs that are in shared memory at a time.
    chunk: usize,
}

impl Tile {
    fn new(
        [n_squares, n_taps]: [usize; 2],
        channels: [usize; 2],
        size: usize,
        hardware: &HardwareProperties,
    ) -> Self {
        let [inputs, outputs] = channels.map(|channels| channels / VECTOR);
        let [most_columns, most_units] = MOST;
        let columns = divisor(outputs, most_columns);
        let most_rows = most_units.min(hardware.max_units_per_cube as usize) / columns * ROWS;
        let rows = n_squares * (most_rows / n_squares).max(1);
        // Half of it, so that a second workgroup can load meanwhile.
        let vectors = hardware.max_shared_memory_size / 2 / (VECTOR * size);
        Self {
            n_squares,
            n_taps,
            inputs,
            outputs,
            columns,
            rows,
            chunk: divisor(inputs, vectors / (rows + 1)),
        }
    }

    fn workgroups(&self, batch: usize) -> CubeCount {
        let across = (batch * self.n_squares).div_ceil(self.rows);
        CubeCount::Static(across as u32, (self.outputs / self.columns) as u32, 1)
    }

    fn units(&self) -> CubeDim {
        CubeDim::new_2d(self.columns as u32, self.rows.div_ceil(ROWS) as u32)
    }
}

/// The greatest divisor of `n` up to `most`.
fn divisor(n: usize, most: usize) -> usize {
    let found = (1..=most).rev().find(|&divisor| n.is_multiple_of(divisor));
    found.unwrap_or(1)
}

/// The layer in the kernel.
#[derive(CubeType, CubeLaunch)]
struct Layer<E: Float, I: Int, N: Size> {
    taps: Box<[I]>,
    weight: Box<[Vector<E, N>]>,
    bias: Box<[Vector<E, N>]>,
}

#[cube(launch)]
fn convolve<E: Float, I: Int, N: Size>(
    x: &[Vector<E, N>],
    layer: &Layer<E, I, N>,
    residual: ComptimeOption<&[Vector<E, N>]>,
    out: &mut [Vector<E, N>],
    #[comptime] tile: Tile,
    #[define(E, I)] _types: [ElemType; 2],
) {
    // A row more holds zeros, for neighbors off the board.
    let mut held = Shared::<[Vector<E, N>]>::new_slice(comptime!((tile.rows + 1) * tile.chunk));
    let n_rows = x.len() / tile.inputs;
    let first = CUBE_POS_X as usize * tile.rows;
    let column = CUBE_POS_Y as usize * tile.columns + UNIT_POS_X as usize;
    let row = UNIT_POS_Y as usize * ROWS;

    let mut sums = Array::<Vector<f32, N>>::new(ROWS);
    #[unroll]
    for i in 0..ROWS {
        sums[i] = Vector::cast_from(layer.bias[column]);
    }
    for chunk in 0..comptime!(tile.inputs / tile.chunk) {
        let inputs = chunk * tile.chunk;
        sync_cube();
        let n_held = comptime!((tile.rows + 1) * tile.chunk);
        for at in range_stepped(UNIT_POS as usize, n_held, CUBE_DIM as usize) {
            let held_row = at / tile.chunk;
            let mut value = Vector::new(E::from_int(0));
            if held_row < tile.rows && first + held_row < n_rows {
                value = x[(first + held_row) * tile.inputs + inputs + at % tile.chunk];
            }
            held[at] = value;
        }
        sync_cube();
        for tap in 0..tile.n_taps {
            let sources = sources::<I>(&layer.taps, row, tap, tile);
            let weights = (tap * tile.inputs + inputs) * VECTOR * tile.outputs + column;
            for k in 0..tile.chunk {
                let mut values = Array::<Vector<f32, N>>::new(ROWS);
                #[unroll]
                for i in 0..ROWS {
                    values[i] = Vector::cast_from(held[sources[i] + k]);
                }
                #[unroll]
                for j in 0..VECTOR {
                    let weight = layer.weight[weights + (k * VECTOR + j) * tile.outputs];
                    let weight = Vector::<f32, N>::cast_from(weight);
                    #[unroll]
                    for i in 0..ROWS {
                        sums[i] = fma(weight, Vector::new(values[i].extract(j)), sums[i]);
                    }
                }
            }
        }
    }
    #[unroll]
    for i in 0..ROWS {
        if row + i < tile.rows && first + row + i < n_rows {
            let at = (first + row + i) * tile.outputs + column;
            let mut sum = sums[i];
            #[comptime]
            if let ComptimeOption::Some(residual) = residual {
                sum += Vector::cast_from(residual[at]);
            }
            out[at] = Vector::cast_from(max(sum, Vector::new(0.0)));
        }
    }
}

/// The offsets in shared memory of the inputs of a unit's squares.
#[cube]
fn sources<I: Int>(taps: &[I], row: usize, tap: usize, #[comptime] tile: Tile) -> Array<usize> {
    let mut sources = Array::<usize>::new(ROWS);
    #[unroll]
    for i in 0..ROWS {
        let mut source = tile.rows.runtime();
        if row + i < tile.rows {
            let square = (row + i) % tile.n_squares;
            let neighbor = i32::cast_from(taps[square * tile.n_taps + tap]);
            if neighbor != OFF_BOARD {
                source = row + i - square + neighbor as usize;
            }
        }
        sources[i] = source * tile.chunk;
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_divisor() {
        assert_eq!([divisor(48, 32), divisor(8, 32), divisor(7, 0)], [24, 8, 1]);
    }
}
