//! Single layers in both directions, for a whole chunk.

use super::super::kernels::{Convolve, DENSE_ROWS, Dense, Finish};
use super::super::matrix::Matrix;
use super::super::simd::Cell;
use super::kernels::{Correlate, Gather, Places, Planes, Rectify};
use super::layers::{Gradient, Layers};
use super::pack::TrainedLayer;
use super::pairs::{Narrow, Pair, PairInstructions, PairLayer, PairSlots, PairTape};
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
    tape: &mut PairTape,
) {
    let taps = layer.taps(&layers.lattice.taps);
    let pairs = layer.pairs.as_ref();
    let pairs = pairs.map(|pairs| (pairs.instructions, &pairs.matrix));
    let weights = (taps, &layer.matrix, pairs);
    run_convolution(layers, weights, input, output, finish, tape);
}

/// From the gradient of a convolution's output to that of its input.
pub(super) fn convolve_back(
    layers: &Layers,
    layer: &TrainedLayer,
    output: &[Cell],
    input: &mut [Cell],
    finish: Finish,
    tape: &mut PairTape,
) {
    let taps = layer.taps(&layers.back_taps);
    let pairs = layer.pairs.as_ref();
    let pairs = pairs.map(|pairs| (pairs.instructions, &pairs.back));
    let weights = (taps, &layer.back, pairs);
    run_convolution(layers, weights, output, input, finish, tape);
}

/// Taps of a convolution, and its weights, also in pairs where it multiplies those.
type Weights<'a> = (
    &'a [isize],
    &'a Matrix,
    Option<(PairInstructions, &'a Matrix<Pair>)>,
);

fn run_convolution(
    layers: &Layers,
    (taps, matrix, pairs): Weights<'_>,
    input: &[Cell],
    output: &mut [Cell],
    finish: Finish,
    tape: &mut PairTape,
) {
    let (lattice, n_positions, n_channels) = (&layers.lattice, CHUNK, Cell::LEN);
    let Some((instructions, matrix)) = pairs else {
        return layers.instructions.run(Convolve {
            lattice,
            taps,
            matrix,
            input,
            output,
            n_positions,
            n_channels,
            finish,
        });
    };
    instructions.run(Narrow {
        input,
        output: &mut tape.cells,
    });
    instructions.run(Convolve {
        lattice,
        taps,
        matrix,
        input: &tape.cells,
        output,
        n_positions,
        n_channels,
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
    tape: &mut PairTape,
) {
    let taps = layer.taps(&layers.lattice.taps);
    let (n_inputs, n_outputs) = (layer.matrix.n_inputs, layer.matrix.n_outputs());
    if let Some(PairLayer { instructions, .. }) = layer.pairs {
        for (input, output) in [(input, &mut tape.input), (output, &mut tape.output)] {
            instructions.run(PairSlots { input, output });
        }
    }
    for first in (0..CHUNK).step_by(CORRELATED) {
        let positions = first..first + CORRELATED;
        let gradient = &mut gradient.cells[layer.weights.clone()];
        match &layer.pairs {
            None => layers.instructions.run(Correlate {
                input: Planes::new(input, n_inputs),
                output: Planes::new(output, n_outputs),
                taps,
                places: layers.places(),
                positions,
                gradient,
            }),
            Some(pairs) => pairs.instructions.run(Correlate {
                input: Planes::new(&tape.input, n_inputs),
                output: Planes::new(&tape.output, n_outputs),
                taps,
                places: layers.pair_places(),
                positions,
                gradient,
            }),
        }
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
        input: Planes::new(input, layer.matrix.n_inputs),
        output: Planes::new(output, layer.matrix.n_outputs()),
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
