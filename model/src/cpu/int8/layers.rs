//! The residual blocks in 8 bits for a chunk of positions.

use super::super::forward::{Activations, CHUNK, Run};
use super::super::instructions::InstructionSet;
use super::super::kernels::Finish;
use super::super::network::{PackedNetwork, Trunk, TrunkOp};
use super::super::simd::Cell;
use super::convolve::Convolve;
use super::dot::{ByteCell, DotInstructions, GROUPS};
use super::matrix::ByteMatrix;
use super::quantize::{Peaks, Quantize, Range, Ranges};
use crate::graph::End;

/// Buffers of the 8-bit convolutions; everything is allocated once.
#[derive(Clone, Debug)]
pub(in super::super) struct Bytes {
    instructions: DotInstructions,
    /// `[position][cell][slot]` the input of a convolution; ghosts hold the position's zero.
    cells: Vec<ByteCell>,
    /// `[position]` the quantization range of `cells`.
    ranges: [Range; CHUNK],
    /// The source of the ranges.
    pub(in super::super) source: Ranges,
    /// `[position][cell]` the maximum values of the last layer.
    peaks: Vec<Cell>,
    /// `[position][cell]` zeros.
    no_bias: Vec<Cell>,
    /// The number of positions in use.
    n_positions: usize,
}

impl Bytes {
    /// Allocates buffers for a network; none for an f32 network.
    pub(in super::super) fn new(network: &PackedNetwork, instructions: InstructionSet) -> Self {
        let n_cells = match network.trunk {
            Trunk::F32(_) => 0,
            Trunk::Int8(_) => CHUNK * network.n_cells,
        };
        Self {
            instructions: DotInstructions::new(instructions),
            cells: vec![[[0; 4]; GROUPS]; n_cells * network.lattice.n_slots(1)],
            ranges: [Range::EMPTY; CHUNK],
            source: Ranges::OfPositions,
            peaks: vec![Cell::ZERO; n_cells],
            no_bias: vec![Cell::ZERO; n_cells],
            n_positions: 0,
        }
    }

    /// Starts with the first `n_positions` of the trunk.
    fn begin(&mut self, run: Run<'_>, trunk: &[Cell], n_positions: usize) {
        self.n_positions = n_positions;
        run.instructions.run(Peaks {
            lattice: &run.network.lattice,
            input: trunk,
            output: &mut self.peaks[..n_positions * run.network.n_cells],
        });
    }

    /// Adds `bias` to the last layer's output and quantizes the sum for the convolution with this
    /// number.
    fn quantize(&mut self, run: Run<'_>, output: &[Cell], bias: Option<&[Cell]>, number: usize) {
        let ranges = &mut self.ranges[..self.n_positions];
        self.instructions.run(Quantize {
            lattice: &run.network.lattice,
            n_cells: run.network.n_cells,
            input: output,
            peaks: &self.peaks,
            bias: bias.unwrap_or(&self.no_bias),
            output: &mut self.cells,
            fixed: self.source.fixed(number),
            ranges,
        });
        self.source.note(number, &self.ranges[..self.n_positions]);
    }

    /// Convolves the values quantized last.
    fn convolve(&mut self, run: Run<'_>, matrix: &ByteMatrix, finish: Finish, output: &mut [Cell]) {
        self.instructions.run(Convolve {
            lattice: &run.network.lattice,
            matrix,
            input: &self.cells,
            ranges: &self.ranges[..self.n_positions],
            output,
            finish,
            peaks: &mut self.peaks,
        });
    }
}

impl Activations {
    /// Runs all residual blocks for the first `n_positions` of the chunk.
    pub(in super::super) fn run_byte_trunk(
        &mut self,
        run: Run<'_>,
        ops: &[TrunkOp<ByteMatrix>],
        n_positions: usize,
    ) {
        self.bytes.begin(run, &self.trunk, n_positions);
        // The bias of a pooling is added at the next quantization.
        let (mut is_pooled, mut number) = (false, 0);
        for op in ops {
            match op {
                TrunkOp::Conv { layer, end } => {
                    let bias = is_pooled.then_some(self.spread.as_slice());
                    let (input, output, finish) = match end {
                        End::Branch => (&self.trunk, &mut self.inner, Finish::Relu),
                        End::Residual => (&self.inner, &mut self.trunk, Finish::Residual),
                    };
                    self.bytes.quantize(run, input, bias, number);
                    self.bytes.convolve(run, layer, finish, output);
                    (is_pooled, number) = (false, number + 1);
                }
                TrunkOp::PoolBias { layer } => {
                    self.pool(run, layer, n_positions);
                    is_pooled = true;
                }
            }
        }
    }
}
