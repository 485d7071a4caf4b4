//! Single layers in both directions, for a whole chunk.

use super::super::kernels::{Convolve, DENSE_ROWS, Dense, Finish};
use super::super::lattice::Places;
use super::super::matrix::Matrix;
use super::super::simd::Cell;
use super::kernels::{Correlate, Gather, Rectify};
use super::layers::{Gradient, Layers};
use super::pack::TrainedLayer;
use super::pairs::{Narrow, Pair, PairInstructions, PairLayer, PairSlots, PairTape};

/// The number of positions that pass through the network together.
pub const CHUNK: usize = 8;

/// The number of positions over which a convolution's gradient is summed before the next tap: few
/// enough that their activations fit into the level-1 cache.
const CORRELATED: usize = 4;

/// The convolutions of a network.
pub(super) struct Convolutions<'a> {
    pub(super) layers: &'a Layers,
    /// Scratch space for convolutions with bf16 pairs.
    pub(super) tape: &'a mut PairTape,
}

/// The weights of a convolution in one direction.
struct Weights<'a> {
    taps: &'a [isize],
    matrix: &'a Matrix,
    /// The same matrix in pairs, if it uses them.
    pairs: Option<(PairInstructions, &'a Matrix<Pair>)>,
}

impl Convolutions<'_> {
    /// Computes a convolution's output from its input.
    pub(super) fn forward(
        &mut self,
        layer: &TrainedLayer,
        input: &[Cell],
        output: &mut [Cell],
        finish: Finish,
    ) {
        let pairs = layer.pairs.as_ref();
        let weights = Weights {
            taps: layer.taps(&self.layers.lattice.taps),
            matrix: &layer.matrix,
            pairs: pairs.map(|pairs| (pairs.instructions, &pairs.matrix)),
        };
        self.run(weights, input, output, finish);
    }

    /// Computes the gradient of a convolution's input from the gradient of its output.
    pub(super) fn backward(
        &mut self,
        layer: &TrainedLayer,
        output: &[Cell],
        input: &mut [Cell],
        finish: Finish,
    ) {
        let pairs = layer.pairs.as_ref();
        let weights = Weights {
            taps: layer.taps(&self.layers.back_taps),
            matrix: &layer.back,
            pairs: pairs.map(|pairs| (pairs.instructions, &pairs.back)),
        };
        self.run(weights, output, input, finish);
    }

    fn run(&mut self, weights: Weights<'_>, input: &[Cell], output: &mut [Cell], finish: Finish) {
        let (lattice, n_positions, n_channels) = (&self.layers.lattice, CHUNK, Cell::LEN);
        let taps = weights.taps;
        let Some((instructions, matrix)) = weights.pairs else {
            return self.layers.instructions.run(Convolve {
                lattice,
                taps,
                matrix: weights.matrix,
                input,
                output,
                n_positions,
                n_channels,
                finish,
            });
        };
        instructions.run(Narrow {
            input,
            output: &mut self.tape.cells,
        });
        instructions.run(Convolve {
            lattice,
            taps,
            matrix,
            input: &self.tape.cells,
            output,
            n_positions,
            n_channels,
            finish,
        });
    }

    /// Adds the gradient of a convolution's weights.
    pub(super) fn correlate(
        &mut self,
        layer: &TrainedLayer,
        input: &[Cell],
        output: &[Cell],
        gradient: &mut Gradient,
    ) {
        let Self { layers, tape } = self;
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
                    input,
                    output,
                    n_inputs,
                    n_outputs,
                    taps,
                    places: layers.lattice.places(),
                    positions,
                    gradient,
                }),
                Some(pairs) => pairs.instructions.run(Correlate {
                    input: &tape.input,
                    output: &tape.output,
                    n_inputs,
                    n_outputs,
                    taps,
                    places: layers.pair_places(),
                    positions,
                    gradient,
                }),
            }
        }
    }
}

/// A matrix product with one vector per position: `[position][cell]` to `[position][cell]`.
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
        input,
        output,
        n_inputs: layer.matrix.n_inputs,
        n_outputs: layer.matrix.n_outputs(),
        taps: &[0],
        places: Places::SINGLE,
        positions: 0..CHUNK,
        gradient: &mut gradient.cells[layer.weights.clone()],
    });
}

/// The backward pass of a ReLU; also adds the result to the gradient of the bias before it.
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
