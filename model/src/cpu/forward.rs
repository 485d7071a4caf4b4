//! The forward pass of one chunk of positions.
//!
//! A chunk passes through a layer as a whole, so that the layer's weights stay in the level-1
//! cache; its activations stay in the level-2 cache.

use rules::{Bitboard, Square};

use super::instructions::InstructionSet;
use super::int8::Bytes;
use super::kernels::{Convolve, DENSE_ROWS, Dense, Embed, Finish, Pool, Spread};
use super::matrix::Matrix;
use super::network::{PackedNetwork, Trunk, TrunkOp};
use super::simd::Cell;
use crate::PLANES;
use crate::encoding::Features;
use crate::graph::End;

/// The number of positions that pass through a layer together.
pub(super) const CHUNK: usize = 8;

/// The content of a square without a value on any plane. Smaller numbers are squares with a 1 on a
/// single plane, larger ones all others, numbered in order of appearance.
const EMPTY: usize = PLANES;

/// The activations of a chunk; everything is allocated once.
///
/// The slots between the boards (ghosts) are always zero, because only squares are written.
#[derive(Clone, Debug)]
pub(super) struct Activations {
    /// `[position][cell][slot]` the residual stream.
    pub(super) trunk: Vec<Cell>,
    /// `[position][cell][slot]` the inside of a block; then the value head's squares.
    pub(super) inner: Vec<Cell>,
    /// `[position][mean cells, maximum cells]`
    pooled: Vec<Cell>,
    /// `[position][cell]`
    pub(super) spread: Vec<Cell>,
    /// `[row][cell]` f and t of the squares used by moves.
    vectors: Vec<Cell>,
    /// `[position][cell]`
    hidden: Vec<Cell>,
    /// `[position]` logits of win, draw, loss.
    value: Vec<Cell>,
    /// `[content][cell]` the contribution of a square's content to the input layer.
    contents: Vec<Cell>,
    /// `[cell]` the contribution of the globals to the input layer.
    shared: Vec<Cell>,
    /// `[position]` the squares whose f and t are used.
    needed: [Bitboard; CHUNK],
    pub(super) bytes: Bytes,
    /// `[position]` the row of `vectors` of its first used square.
    first_rows: [usize; CHUNK],
    rows: Rows,
}

/// Row offsets and cell offsets for the dense layers.
#[derive(Clone, Debug)]
struct Rows {
    /// `[position]` offset in `pooled`.
    pooled: Vec<usize>,
    /// `[position]` offset in the value head's squares.
    value: Vec<usize>,
    /// `[position]` offset in `hidden`.
    hidden: Vec<usize>,
    /// Offset in `trunk` of each used square.
    needed: Vec<usize>,
    /// 0, 1, 2, ...
    adjacent: Vec<usize>,
    /// The cells of one square of the trunk.
    square: Vec<usize>,
    /// The cells of all squares in the value head, square by square.
    squares: Vec<usize>,
}

impl Rows {
    fn new(network: &PackedNetwork) -> Self {
        let (lattice, n_cells) = (&network.lattice, network.n_cells);
        let (stride, n_value) = (lattice.stride(), network.value.square.n_outputs());
        let every = |step: usize| (0..CHUNK).map(|position| position * step).collect();
        let squares = lattice
            .slots()
            .iter()
            .flat_map(|&slot| (0..n_value).map(move |cell| cell * stride + slot));
        Self {
            pooled: every(2 * n_cells),
            value: every(n_value * stride),
            hidden: every(network.value.hidden.n_outputs()),
            needed: Vec::with_capacity(CHUNK * lattice.slots().len() + DENSE_ROWS),
            adjacent: (0..(2 * n_cells).max(network.value.out.n_inputs)).collect(),
            square: (0..n_cells).map(|cell| cell * stride).collect(),
            squares: squares.collect(),
        }
    }
}

impl Activations {
    pub(super) fn new(network: &PackedNetwork, instructions: InstructionSet) -> Self {
        let (n_cells, n_squares) = (network.n_cells, network.lattice.slots().len());
        let n_inner = n_cells.max(network.value.square.n_outputs());
        let zeros = |n_cells: usize| vec![Cell::ZERO; n_cells];
        // In the worst case every square has a content of its own.
        let mut contents = zeros((EMPTY + 1 + n_squares) * n_cells);
        contents[..network.input.planes.len()].copy_from_slice(&network.input.planes);
        Self {
            trunk: zeros(network.lattice.n_slots(CHUNK * n_cells)),
            inner: zeros(network.lattice.n_slots(CHUNK * n_inner)),
            pooled: zeros(CHUNK * 2 * n_cells),
            spread: zeros(CHUNK * n_cells),
            vectors: zeros((CHUNK * n_squares + DENSE_ROWS) * network.policy.vectors.n_outputs()),
            hidden: zeros(CHUNK * network.value.hidden.n_outputs()),
            value: zeros(CHUNK),
            contents,
            shared: zeros(n_cells),
            bytes: Bytes::new(network, instructions),
            needed: [Bitboard::EMPTY; CHUNK],
            first_rows: [0; CHUNK],
            rows: Rows::new(network),
        }
    }

    /// Runs the input layer for the position at `index` of the chunk.
    pub(super) fn embed(&mut self, run: Run<'_>, index: usize, features: &Features) {
        let (network, n_cells) = (run.network, run.network.n_cells);
        let input = &network.input;
        self.shared.fill(Cell::ZERO);
        for (row, value) in input.globals.chunks_exact(n_cells).zip(features.globals) {
            add_scaled(&mut self.shared, row, value);
        }
        let content = self.contents(run, features);
        let start = index * n_cells * network.lattice.stride();
        run.instructions.run(Embed {
            places: network.lattice.places(),
            base: &input.base,
            shared: &self.shared,
            contents: &self.contents,
            content: &content,
            output: &mut self.trunk[start..],
        });
    }

    /// The content of each square by its token. For a square with values on several planes, or
    /// other than 1, the sum is computed once as a separate content.
    fn contents(&mut self, run: Run<'_>, features: &Features) -> [u8; Square::COUNT] {
        let (network, n_cells) = (run.network, run.network.n_cells);
        let mut content = [EMPTY as u8; Square::COUNT];
        let mut next = EMPTY + 1;
        let planes = network.input.planes.chunks_exact(n_cells);
        for (plane, ((squares, value), weights)) in
            features.planes.into_iter().zip(planes).enumerate()
        {
            for square in squares {
                let content = &mut content[network.board.token(square)];
                let before = usize::from(*content);
                if before == EMPTY && value == 1.0 {
                    *content = plane as u8;
                    continue;
                }
                if before <= EMPTY {
                    let row = before * n_cells..(before + 1) * n_cells;
                    self.contents.copy_within(row, next * n_cells);
                    *content = next as u8;
                    next += 1;
                }
                let row = &mut self.contents[usize::from(*content) * n_cells..][..n_cells];
                add_scaled(row, weights, value);
            }
        }
        content
    }

    /// Runs all residual blocks for the first `n_positions` of the chunk.
    pub(super) fn run_trunk(&mut self, run: Run<'_>, n_positions: usize) {
        match &run.network.trunk {
            Trunk::F32(ops) => self.run_float_trunk(run, ops, n_positions),
            Trunk::Int8(ops) => self.run_byte_trunk(run, ops, n_positions),
        }
    }

    fn run_float_trunk(&mut self, run: Run<'_>, ops: &[TrunkOp<Matrix>], n_positions: usize) {
        let lattice = &run.network.lattice;
        for op in ops {
            match op {
                TrunkOp::Conv { layer, end } => {
                    let (input, output, finish) = match end {
                        End::Branch => (&self.trunk, &mut self.inner, Finish::Relu),
                        End::Residual => (&self.inner, &mut self.trunk, Finish::Residual),
                    };
                    run.instructions.run(Convolve {
                        lattice,
                        taps: &lattice.taps,
                        matrix: layer,
                        input,
                        output,
                        n_positions,
                        n_channels: Cell::LEN,
                        finish,
                    });
                }
                TrunkOp::PoolBias { layer } => {
                    self.pool(run, layer, n_positions);
                    run.instructions.run(Spread {
                        places: lattice.places(),
                        bias: &self.spread[..n_positions * run.network.n_cells],
                        output: &mut self.inner,
                    });
                }
            }
        }
    }

    /// Computes the global pooling bias of a block that has one.
    pub(super) fn pool(&mut self, run: Run<'_>, pool: &Matrix, n_positions: usize) {
        let (lattice, n_cells) = (&run.network.lattice, run.network.n_cells);
        run.instructions.run(Pool {
            places: lattice.places(),
            n_cells,
            input: &self.inner,
            output: &mut self.pooled,
            n_positions,
        });
        run.instructions.run(Dense {
            matrix: pool,
            input: &self.pooled,
            rows: padded(&self.rows.pooled, n_positions),
            offsets: &self.rows.adjacent,
            output: &mut self.spread,
            finish: Finish::Linear,
        });
    }

    /// Runs the value head.
    pub(super) fn run_value(&mut self, run: Run<'_>, n_positions: usize) {
        let value = &run.network.value;
        run.instructions.run(Convolve {
            lattice: &run.network.lattice,
            taps: &[0],
            matrix: &value.square,
            input: &self.trunk,
            output: &mut self.inner,
            n_positions,
            n_channels: value.n_channels.min(Cell::LEN),
            finish: Finish::Relu,
        });
        run.instructions.run(Dense {
            matrix: &value.hidden,
            input: &self.inner,
            rows: padded(&self.rows.value, n_positions),
            offsets: &self.rows.squares,
            output: &mut self.hidden,
            finish: Finish::Relu,
        });
        run.instructions.run(Dense {
            matrix: &value.out,
            input: &self.hidden,
            rows: padded(&self.rows.hidden, n_positions),
            offsets: &self.rows.adjacent,
            output: &mut self.value,
            finish: Finish::Linear,
        });
    }

    /// Logits of win, draw and loss of the position at `index`, after [`Self::run_value`].
    pub(super) fn value(&self, index: usize) -> [f32; 3] {
        let [win, draw, loss, ..] = self.value[index].0;
        [win, draw, loss]
    }

    /// Clears the list of needed vectors.
    pub(super) fn begin_policy(&mut self) {
        self.rows.needed.clear();
    }

    /// Requests f and t of some squares; call it once per position, in ascending order.
    pub(super) fn need(&mut self, run: Run<'_>, index: usize, squares: Bitboard) {
        self.needed[index] = squares;
        self.first_rows[index] = self.rows.needed.len();
        self.rows
            .needed
            .extend(squares.into_iter().map(|square| run.start(index, square)));
    }

    /// Computes the requested vectors.
    pub(super) fn run_policy(&mut self, run: Run<'_>) {
        let n_rows = self.rows.needed.len().next_multiple_of(DENSE_ROWS);
        self.rows.needed.resize(n_rows, 0);
        run.instructions.run(Dense {
            matrix: &run.network.policy.vectors,
            input: &self.trunk,
            rows: &self.rows.needed,
            offsets: &self.rows.square,
            output: &mut self.vectors,
            finish: Finish::Linear,
        });
    }

    /// f and t of a requested square side by side, after [`Self::run_policy`].
    pub(super) fn vectors(&self, run: Run<'_>, index: usize, square: Square) -> &[f32] {
        let before = Bitboard(self.needed[index].0 & (square.bit().0 - 1));
        let row = self.first_rows[index] + before.count() as usize;
        let n_cells = run.network.policy.vectors.n_outputs();
        Cell::flatten(&self.vectors[row * n_cells..][..n_cells])
    }

    /// k of a square.
    pub(super) fn capture(&self, run: Run<'_>, index: usize, square: Square) -> f32 {
        let (start, policy) = (run.start(index, square), &run.network.policy);
        let cells = self.rows.square.iter().zip(&policy.capture);
        let dots = cells.map(|(offset, weights)| dot(&self.trunk[start + offset].0, &weights.0));
        policy.capture_bias + dots.sum::<f32>()
    }
}

/// The network being run, and the instructions.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) network: &'a PackedNetwork,
    pub(super) instructions: InstructionSet,
}

impl Run<'_> {
    /// The offset in the trunk of a square of the position at `index`.
    fn start(self, index: usize, square: Square) -> usize {
        let lattice = &self.network.lattice;
        let slot = lattice.slots()[self.network.board.token(square)];
        index * self.network.n_cells * lattice.stride() + slot
    }
}

/// The rows of the first positions, padded for the dense layers.
fn padded(rows: &[usize], n_positions: usize) -> &[usize] {
    &rows[..n_positions.next_multiple_of(DENSE_ROWS)]
}

/// sum += row * scale
fn add_scaled(sum: &mut [Cell], row: &[Cell], scale: f32) {
    if scale != 0.0 {
        for (sum, row) in sum.iter_mut().zip(row) {
            for (sum, row) in sum.0.iter_mut().zip(row.0) {
                *sum += row * scale;
            }
        }
    }
}

/// The product of two vectors, summed in eight lanes that the compiler can keep in a register.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a_chunks
        .remainder()
        .iter()
        .zip(b_chunks.remainder())
        .map(|(a, b)| a * b);
    let mut lanes = [0.0; 8];
    for (a, b) in a_chunks.zip(b_chunks) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f32>() + rest.sum::<f32>()
}
