//! Weights packed for both directions, and the offsets of their gradients.

use std::ops::Range;

use rayon::prelude::*;

use super::super::lattice::{Lattice, Places};
use super::super::network::TrunkOp;
use super::super::simd::Cell;
use super::pack::{HeadLayer, Packed, Packer, Table, TrainedLayer};
use super::pairs::{PairInstructions, pair_slots};
use crate::graph::{End, Layer, Op, graph};
use crate::tensor::TensorSpec;
use crate::{
    HeadId, InstructionSet, ModelConfig, ModelError, ModelWeights, NetworkHeads, StepPrecision,
};

/// The gradient of all weights from part of a batch.
#[derive(Clone, Debug)]
pub struct Gradient {
    pub(super) cells: Vec<Cell>,
}

impl Gradient {
    /// Sets all gradients to zero.
    pub fn clear(&mut self) {
        self.cells.fill(Cell::ZERO);
    }
}

/// A network's weights, packed for passes in both directions. Threads can share it.
#[derive(Debug)]
pub struct Layers {
    pub(super) config: ModelConfig,
    pub(super) instructions: InstructionSet,
    precision: StepPrecision,
    /// The first slots of pairs of squares, or of a square and a ghost.
    pub(super) pair_slots: Vec<usize>,
    pub(super) lattice: Lattice,
    /// The offsets from a square to the squares that read it, in the order of the taps.
    pub(super) back_taps: Vec<isize>,
    pub(super) input: TrainedInput,
    pub(super) trunk: Vec<TrunkStep>,
    /// All per-square head outputs, as one layer.
    pub(super) squares: HeadLayer,
    /// Columns of `squares` that the summary reads.
    pub(super) summary: Range<usize>,
    /// The hidden layer of the summary.
    pub(super) hidden: TrainedLayer,
    /// All heads that read the summary, as one layer.
    pub(super) board: HeadLayer,
    /// 0, 1, 2, ... up to the length of the widest vector in cells.
    pub(super) adjacent: Vec<usize>,
    n_gradient_cells: usize,
}

/// The input layer's tables.
#[derive(Debug)]
pub(super) struct TrainedInput {
    pub(super) planes: Table,
    pub(super) squares: Table,
    pub(super) globals: Table,
    pub(super) bias: Table,
}

/// An operation of the trunk with the activations that it reads: 0 is the output of the input
/// layer, i + 1 the output of operation i.
#[derive(Debug)]
pub(super) struct TrunkStep {
    pub(super) op: TrunkOp<TrainedLayer, TrainedLayer>,
    /// The input.
    pub(super) input: usize,
    /// The residual stream before the operation.
    pub(super) stream: usize,
}

/// The place of a single value among cells.
#[derive(Clone, Copy)]
pub(super) struct ValuePlace {
    pub(super) cell: usize,
    pub(super) lane: usize,
}

impl Layers {
    /// Packs the weights, including the auxiliary heads in `weights`.
    ///
    /// # Errors
    /// When the configuration or the weights are invalid.
    pub fn new(
        config: &ModelConfig,
        weights: &ModelWeights,
        instructions: InstructionSet,
        precision: StepPrecision,
    ) -> Result<Self, ModelError> {
        let pairs = match precision {
            StepPrecision::F32 => None,
            StepPrecision::Bf16 => PairInstructions::of(instructions),
        };
        Self::with_pairs(config, weights, instructions, pairs, precision)
    }

    /// Like `new`, with convolutions over bf16 pairs if instructions for them are given.
    pub(super) fn with_pairs(
        config: &ModelConfig,
        weights: &ModelWeights,
        instructions: InstructionSet,
        pairs: Option<PairInstructions>,
        precision: StepPrecision,
    ) -> Result<Self, ModelError> {
        config.validate()?;
        let mut packer = Packer::default();
        let (mut input, mut trunk, mut summary) = (None, Vec::new(), None);
        let (mut of_squares, mut of_board) = (Vec::new(), Vec::new());
        let mut stream = 0;
        for op in graph(config, &NetworkHeads::of(config, weights)) {
            match op {
                Op::Embed {
                    planes,
                    squares,
                    globals,
                } => {
                    input = Some(TrainedInput {
                        planes: packer.table(&planes.weight),
                        squares: packer.table(&squares.weight),
                        globals: packer.table(&globals.weight),
                        bias: packer.table(globals.bias.as_ref().expect("globals have a bias")),
                    });
                }
                Op::Conv { layer, end } => {
                    let layer = packer.layer(vec![layer]).in_pairs(pairs);
                    let input = match end {
                        End::Branch => stream,
                        End::Residual => trunk.len(),
                    };
                    let op = TrunkOp::Conv { layer, end };
                    trunk.push(TrunkStep { op, input, stream });
                    if end == End::Residual {
                        stream = trunk.len();
                    }
                }
                Op::PoolBias { layer } => {
                    let layer = packer.layer(vec![layer]);
                    let (op, input) = (TrunkOp::PoolBias { layer }, trunk.len());
                    trunk.push(TrunkStep { op, input, stream });
                }
                Op::Summary { squares, hidden } => summary = Some((squares, hidden)),
                Op::SquareHead { head, layer } => of_squares.push((head, layer)),
                Op::BoardHead { head, layer } => of_board.push((head, layer)),
            }
        }
        let reason = "every graph has this operation";
        let (summary, hidden) = summary.expect(reason);
        let hidden = Layer {
            n_taps: 1,
            ..hidden
        };
        let (mut squares, summary) = packer.heads(of_squares, Some(summary));
        squares.layer = squares.layer.in_pairs(pairs);
        let lattice = Lattice::new(config.n_squares, config.n_taps);
        let widest = hidden.n_rows().max(2 * config.channels);
        let mut layers = Self {
            adjacent: (0..widest.max(config.value_hidden).div_ceil(Cell::LEN)).collect(),
            precision,
            pair_slots: pair_slots(lattice.slots()),
            back_taps: lattice.taps.iter().map(|tap| -tap).collect(),
            lattice,
            instructions,
            input: input.expect(reason),
            trunk,
            squares,
            summary,
            hidden: packer.layer(vec![hidden]),
            board: packer.heads(of_board, None).0,
            n_gradient_cells: packer.n_gradient_cells(),
            config: config.clone(),
        };
        layers.load(weights)?;
        Ok(layers)
    }

    /// The requested precision.
    pub fn precision(&self) -> StepPrecision {
        self.precision
    }

    /// Packs other weights of the same network.
    ///
    /// # Errors
    /// When the weights do not belong to this network.
    pub fn load(&mut self, weights: &ModelWeights) -> Result<(), ModelError> {
        let parts = self.parts_mut().into_par_iter().with_max_len(1);
        parts.map(|part| part.load(weights)).collect()
    }

    /// A gradient of zero.
    pub fn zero_gradient(&self) -> Gradient {
        Gradient {
            cells: vec![Cell::ZERO; self.n_gradient_cells],
        }
    }

    /// The sum of gradients, added in order, by weight name.
    pub fn sum<'g>(&self, gradients: impl IntoIterator<Item = &'g Gradient>) -> ModelWeights {
        let gradients: Vec<&Gradient> = gradients.into_iter().collect();
        let parts = self.parts().into_par_iter().with_max_len(1);
        let tensors = parts.map(|part| {
            let place = part.gradient();
            let mut sum = vec![Cell::ZERO; place.len()];
            for gradient in &gradients {
                for (sum, cell) in sum.iter_mut().zip(&gradient.cells[place.clone()]) {
                    for (sum, value) in sum.0.iter_mut().zip(cell.0) {
                        *sum += value;
                    }
                }
            }
            part.unpack(&sum)
        });
        let mut weights = ModelWeights::new();
        let tensors: Vec<_> = tensors.collect();
        for (TensorSpec { name, shape, .. }, values) in tensors.into_iter().flatten() {
            weights.insert(name, shape, values);
        }
        weights
    }

    /// All tables and layers, input first.
    fn parts(&self) -> Vec<&dyn Packed> {
        let TrainedInput {
            planes,
            squares,
            globals,
            bias,
        } = &self.input;
        let mut parts: Vec<&dyn Packed> = vec![planes, squares, globals, bias];
        parts.extend(self.trunk.iter().map(|step| match &step.op {
            TrunkOp::Conv { layer, .. } | TrunkOp::PoolBias { layer } => layer as &dyn Packed,
        }));
        parts.extend([
            &self.squares.layer as &dyn Packed,
            &self.hidden,
            &self.board.layer,
        ]);
        parts
    }

    /// All tables and layers, mutable, input first.
    fn parts_mut(&mut self) -> Vec<&mut dyn Packed> {
        let TrainedInput {
            planes,
            squares,
            globals,
            bias,
        } = &mut self.input;
        let mut parts: Vec<&mut dyn Packed> = vec![planes, squares, globals, bias];
        parts.extend(self.trunk.iter_mut().map(|step| match &mut step.op {
            TrunkOp::Conv { layer, .. } | TrunkOp::PoolBias { layer } => layer as &mut dyn Packed,
        }));
        let heads: [&mut dyn Packed; 3] = [
            &mut self.squares.layer,
            &mut self.hidden,
            &mut self.board.layer,
        ];
        parts.extend(heads);
        parts
    }

    /// The first convolution of the trunk.
    #[cfg(test)]
    pub(super) fn first_convolution(&self) -> &TrainedLayer {
        let mut layers = self.trunk.iter().filter_map(|step| match &step.op {
            TrunkOp::Conv { layer, .. } => Some(layer),
            TrunkOp::PoolBias { .. } => None,
        });
        layers.next().expect("every trunk has one")
    }

    /// True if the weights include this head.
    pub fn has(&self, head: HeadId) -> bool {
        !(self.squares.columns[head].is_empty() && self.board.columns[head].is_empty())
    }

    /// The trunk's channels in cells.
    pub(super) fn n_cells(&self) -> usize {
        self.config.channels / Cell::LEN
    }

    /// The slots of pairs of squares.
    pub(super) fn pair_places(&self) -> Places<'_> {
        Places {
            slots: &self.pair_slots,
            ..self.lattice.places()
        }
    }

    /// The place of a head column for a square.
    #[inline]
    pub(super) fn head_value(&self, position: usize, slot: usize, column: usize) -> ValuePlace {
        let plane = position * self.squares.layer.matrix.n_outputs() + column / Cell::LEN;
        ValuePlace {
            cell: plane * self.lattice.stride() + slot,
            lane: column % Cell::LEN,
        }
    }
}
