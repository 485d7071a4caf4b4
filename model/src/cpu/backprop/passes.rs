//! Single layers in both directions, for a whole chunk.

use super::super::kernels::{Convolve, DENSE_ROWS, Dense, Finish};
use super::super::lattice::Places;
use super::super::matrix::Matrix;
use super::super::simd::Cell;
use super::kernels::{Correlate, Gather, Rectify};
use super::layers::{Gradient, Layers};
use super::pack::TrainedLayer;
use super::pairs::{Convolutions, Narrow, Pair, PairInstructions, PairLayer, PairSlots};

/// The number of positions that pass through the network together.
pub const CHUNK: usize = 8;

/// The number of positions over which a convolution's gradient is summed before the next tap: few
/// enough that their activations fit into the level-1 cache.
const CORRELATED: usize = 4;

/// The weights of a convolution in one direction.
struct Weights<'a> {
    taps: &'a [isize],
    matrix: &'a Matrix,
    /// The same matrix in pairs, if it uses them.
    pairs: Option<(PairInstructions, &'a Matrix<Pair>)>,
}

impl Convolutions {
    /// Computes a convolution's output from its input.
    pub(super) fn forward(
        &mut self,
        layers: &Layers,
        layer: &TrainedLayer,
        input: &[Cell],
        output: &mut [Cell],
        finish: Finish,
    ) {
        let pairs = layer.pairs.as_ref();
        let weights = Weights {
            taps: layer.taps(&layers.lattice.taps),
            matrix: &layer.matrix,
            pairs: pairs.map(|pairs| (pairs.instructions, &pairs.matrix)),
        };
        self.run(layers, weights, input, output, finish);
    }

    /// Computes the gradient of a convolution's input from the gradient of its output.
    pub(super) fn backward(
        &mut self,
        layers: &Layers,
        layer: &TrainedLayer,
        output: &[Cell],
        input: &mut [Cell],
        finish: Finish,
    ) {
        let pairs = layer.pairs.as_ref();
        let weights = Weights {
            taps: layer.taps(&layers.back_taps),
            matrix: &layer.back,
            pairs: pairs.map(|pairs| (pairs.instructions, &pairs.back)),
        };
        self.run(layers, weights, output, input, finish);
    }

    fn run(
        &mut self,
        layers: &Layers,
        weights: Weights<'_>,
        input: &[Cell],
        output: &mut [Cell],
        finish: Finish,
    ) {
        let (lattice, n_positions, n_channels) = (&layers.lattice, CHUNK, Cell::LEN);
        let taps = weights.taps;
        let Some((instructions, matrix)) = weights.pairs else {
            return layers.instructions.run(Convolve {
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
            output: &mut self.cells,
        });
        instructions.run(Convolve {
            lattice,
            taps,
            matrix,
            input: &self.cells,
            output,
            n_positions,
            n_channels,
            finish,
        });
    }

    /// Adds the gradient of a convolution's weights.
    pub(super) fn correlate(
        &mut self,
        layers: &Layers,
        layer: &TrainedLayer,
        input: &[Cell],
        output: &[Cell],
        gradient: &mut Gradient,
    ) {
        let taps = layer.taps(&layers.lattice.taps);
        let (n_inputs, n_outputs) = (layer.matrix.n_inputs, layer.matrix.n_outputs());
        if let Some(PairLayer { instructions, .. }) = layer.pairs {
            for (input, output) in [(input, &mut self.input), (output, &mut self.output)] {
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
                    input: &self.input,
                    output: &self.output,
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

impl Layers {
    /// A matrix product with one vector per position: `[position][cell]` to `[position][cell]`.
    pub(super) fn multiply(
        &self,
        matrix: &Matrix,
        input: &[Cell],
        output: &mut [Cell],
        finish: Finish,
    ) {
        const { assert!(CHUNK.is_multiple_of(DENSE_ROWS)) };
        let rows: [usize; CHUNK] = std::array::from_fn(|position| position * matrix.n_inputs);
        self.instructions.run(Dense {
            matrix,
            input,
            rows: &rows,
            offsets: &self.adjacent[..matrix.n_inputs],
            output,
            finish,
        });
    }

    /// Adds the gradient of a product's weights.
    pub(super) fn multiply_weights(
        &self,
        layer: &TrainedLayer,
        input: &[Cell],
        output: &[Cell],
        gradient: &mut Gradient,
    ) {
        self.instructions.run(Correlate {
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
        &self,
        places: Places<'_>,
        output: &[Cell],
        gradient: &mut [Cell],
        bias: &mut [Cell],
    ) {
        self.instructions.run(Rectify {
            output,
            gradient,
            bias,
            places,
            n_positions: CHUNK,
        });
    }

    /// Adds sums over the squares, see [`Gather`].
    pub(super) fn gather(
        &self,
        places: Places<'_>,
        n_planes: usize,
        input: &[Cell],
        output: &mut [Cell],
    ) {
        self.instructions.run(Gather {
            input,
            output,
            places,
            n_planes,
        });
    }
}
