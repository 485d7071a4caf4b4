//! Single layers in both directions, for a whole chunk.

use super::super::kernels::{Convolve, DENSE_ROWS, Dense, Finish};
use super::super::matrix::Matrix;
use super::super::simd::Cell;
use super::kernels::{Correlate, Gather, Places, Planes, Rectify};
use super::layers::{Gradient, Layers};
use super::pack::TrainedLayer;
use super::tape::CHUNK;

/// Positions over which a convolution's gradient is summed before the next tap's: so many that
/// their activations still fit into the first-level cache.
const CORRELATED: usize = 4;

/// A convolution.
pub(super) fn convolve(
    layers: &Layers,
    layer: &TrainedLayer,
    input: &[Cell],
    output: &mut [Cell],
    finish: Finish,
) {
    layers.instructions.run(Convolve {
        lattice: &layers.lattice,
        taps: layer.taps(&layers.lattice.taps),
        matrix: &layer.matrix,
        input,
        output,
        n_positions: CHUNK,
        finish,
    });
}

/// From the gradient of a convolution's output to that of its input.
pub(super) fn convolve_back(
    layers: &Layers,
    layer: &TrainedLayer,
    output: &[Cell],
    input: &mut [Cell],
    finish: Finish,
) {
    layers.instructions.run(Convolve {
        lattice: &layers.lattice,
        taps: layer.taps(&layers.back_taps),
        matrix: &layer.back,
        input: output,
        output: input,
        n_positions: CHUNK,
        finish,
    });
}

/// Adds the gradient of a convolution's weights.
pub(super) fn correlate(
    layers: &Layers,
    layer: &TrainedLayer,
    input: &[Cell],
    output: &[Cell],
    gradient: &mut Gradient,
) {
    for first in (0..CHUNK).step_by(CORRELATED) {
        layers.instructions.run(Correlate {
            input: Planes {
                cells: input,
                n_cells: layer.matrix.n_inputs,
            },
            output: Planes {
                cells: output,
                n_cells: layer.matrix.n_outputs(),
            },
            taps: layer.taps(&layers.lattice.taps),
            places: layers.places(),
            positions: first..first + CORRELATED,
            gradient: &mut gradient.cells[layer.weights.clone()],
        });
    }
}

/// A product with one vector per position: `[position][cell]` to `[position][cell]`.
pub(super) fn multiply(
    layers: &Layers,
    matrix: &Matrix,
    input: &[Cell],
    output: &mut [Cell],
    finish: Finish,
) {
    const { assert!(CHUNK.is_multiple_of(DENSE_ROWS)) };
    let rows: [usize; CHUNK] = std::array::from_fn(|position| position * matrix.n_inputs);
    layers.instructions.run(Dense {
        matrix,
        input,
        rows: &rows,
        offsets: &layers.adjacent[..matrix.n_inputs],
        output,
        finish,
    });
}

/// Adds the gradient of a product's weights.
pub(super) fn multiply_weights(
    layers: &Layers,
    layer: &TrainedLayer,
    input: &[Cell],
    output: &[Cell],
    gradient: &mut Gradient,
) {
    layers.instructions.run(Correlate {
        input: Planes {
            cells: input,
            n_cells: layer.matrix.n_inputs,
        },
        output: Planes {
            cells: output,
            n_cells: layer.matrix.n_outputs(),
        },
        taps: &[0],
        places: Places::SINGLE,
        positions: 0..CHUNK,
        gradient: &mut gradient.cells[layer.weights.clone()],
    });
}

/// Back through a ReLU; what remains is added to the gradient of the bias in front of it.
pub(super) fn rectify(
    layers: &Layers,
    places: Places<'_>,
    output: &[Cell],
    gradient: &mut [Cell],
    bias: &mut [Cell],
) {
    layers.instructions.run(Rectify {
        output,
        gradient,
        bias,
        places,
        n_positions: CHUNK,
    });
}

/// Adds sums over the squares, see [`Gather`].
pub(super) fn gather(
    layers: &Layers,
    places: Places<'_>,
    n_planes: usize,
    input: &[Cell],
    output: &mut [Cell],
) {
    layers.instructions.run(Gather {
        input,
        output,
        places,
        n_planes,
    });
}
