//! Layers and tables in both directions: packed weights and offsets of gradients.

use std::ops::Range;

use super::super::matrix::{Matrix, cells};
use super::super::simd::Cell;
use super::pairs::{PairInstructions, PairLayer};
use crate::graph::Layer;
use crate::tensor::TensorSpec;
use crate::{HeadId, ModelError, ModelWeights, PerHead};

/// A matrix of the input layer, which sums a few selected rows. Rows consist of whole cells.
#[derive(Clone, Debug)]
pub(super) struct Table {
    tensor: TensorSpec,
    /// `[row][cell]`
    pub(super) rows: Vec<Cell>,
    /// The offset of its gradient.
    pub(super) gradient: Range<usize>,
}

/// A table or a layer that can be packed independently.
pub(super) trait Packed: Send + Sync {
    /// Packs the layer's weights.
    fn load(&mut self, weights: &ModelWeights) -> Result<(), ModelError>;

    /// The range of its gradient.
    fn gradient(&self) -> Range<usize>;

    /// The gradients of its tensors, unpacked from that range.
    fn unpack(&self, gradient: &[Cell]) -> Vec<(TensorSpec, Vec<f32>)>;
}

impl Packed for Table {
    fn load(&mut self, weights: &ModelWeights) -> Result<(), ModelError> {
        self.rows = cells(weights.values(&self.tensor.name, &self.tensor.shape)?);
        Ok(())
    }

    fn gradient(&self) -> Range<usize> {
        self.gradient.clone()
    }

    fn unpack(&self, gradient: &[Cell]) -> Vec<(TensorSpec, Vec<f32>)> {
        vec![(self.tensor.clone(), Cell::flatten(gradient).to_vec())]
    }
}

/// A convolution, or a product with one vector per position.
#[derive(Debug)]
pub(super) struct TrainedLayer {
    pub(super) matrix: Matrix,
    /// The matrix from the gradient of the output to the gradient of the input.
    pub(super) back: Matrix,
    /// Both matrices in bf16 pairs, if the convolution uses them.
    pub(super) pairs: Option<PairLayer>,
    /// The range of the gradient of the weights, in the order of `matrix`.
    pub(super) weights: Range<usize>,
    /// The range of the gradient of the bias.
    pub(super) bias: Range<usize>,
    /// The layers whose columns this layer combines.
    parts: Vec<Layer>,
}

/// Heads combined into one layer.
#[derive(Debug)]
pub(super) struct HeadLayer {
    pub(super) layer: TrainedLayer,
    /// [head] its columns; empty if the layer does not include it.
    pub(super) columns: PerHead<Range<usize>>,
}

impl TrainedLayer {
    /// The same layer using bf16 pairs, if there are instructions for them.
    pub(super) fn in_pairs(mut self, instructions: Option<PairInstructions>) -> Self {
        let pairs = |instructions| PairLayer::new(instructions, &self.matrix, &self.back);
        self.pairs = instructions.map(pairs);
        self
    }

    /// The first of `taps`, as many as this layer has.
    pub(super) fn taps<'a>(&self, taps: &'a [isize]) -> &'a [isize] {
        &taps[..self.parts[0].n_taps]
    }

    /// The number of inputs per tap.
    fn n_inputs(&self) -> usize {
        self.parts[0].n_rows() / self.parts[0].n_taps
    }
}

impl Packed for TrainedLayer {
    fn load(&mut self, weights: &ModelWeights) -> Result<(), ModelError> {
        let n_inputs = self.n_inputs();
        let mut bias = Vec::new();
        for part in &self.parts {
            let (first, (values, part_bias)) = (bias.len(), weights.layer(part)?);
            for (row, values) in values.chunks_exact(part.n_outputs()).enumerate() {
                let (tap, input) = (row / n_inputs, row % n_inputs);
                self.matrix.set_row(tap, input, first, values);
                for (output, value) in (first..).zip(values) {
                    let value = std::slice::from_ref(value);
                    self.back.set_row(tap, output, input, value);
                }
            }
            bias.extend_from_slice(part_bias);
            bias.resize(first + part.n_outputs(), 0.0);
        }
        self.matrix.bias = cells(&bias);
        if let Some(pairs) = &mut self.pairs {
            *pairs = PairLayer::new(pairs.instructions, &self.matrix, &self.back);
        }
        Ok(())
    }

    fn gradient(&self) -> Range<usize> {
        self.weights.start..self.bias.end
    }

    fn unpack(&self, gradient: &[Cell]) -> Vec<(TensorSpec, Vec<f32>)> {
        let (weights, bias) = gradient.split_at(self.weights.len());
        let values = self.matrix.unpack(weights);
        let bias = Cell::flatten(bias);
        let (mut tensors, mut first) = (Vec::new(), 0);
        for part in &self.parts {
            let columns = first..first + part.n_outputs();
            // There may be padding after the last row.
            let rows = values.chunks_exact(bias.len()).take(part.n_rows());
            let weight = rows.flat_map(|row| &row[columns.clone()]).copied();
            tensors.push((part.weight.clone(), weight.collect()));
            if let Some(spec) = &part.bias {
                tensors.push((spec.clone(), bias[columns.clone()].to_vec()));
            }
            first = columns.end;
        }
        tensors
    }
}

/// Assigns offsets to gradients.
#[derive(Default)]
pub(super) struct Packer {
    n_gradient_cells: usize,
}

impl Packer {
    /// The number of cells of all gradients.
    pub(super) fn n_gradient_cells(&self) -> usize {
        self.n_gradient_cells
    }

    fn reserve(&mut self, n_cells: usize) -> Range<usize> {
        let start = self.n_gradient_cells;
        self.n_gradient_cells += n_cells;
        start..self.n_gradient_cells
    }

    pub(super) fn table(&mut self, tensor: &TensorSpec) -> Table {
        let rows = vec![Cell::ZERO; tensor.n_values().div_ceil(Cell::LEN)];
        Table {
            gradient: self.reserve(rows.len()),
            tensor: tensor.clone(),
            rows,
        }
    }

    /// Combines heads of squares or of the board, followed by the columns of `last`.
    pub(super) fn heads(
        &mut self,
        heads: Vec<(HeadId, Layer)>,
        last: Option<Layer>,
    ) -> (HeadLayer, Range<usize>) {
        let mut columns: PerHead<Range<usize>> = PerHead::new(|_| 0..0);
        let mut end = 0;
        for (head, layer) in &heads {
            columns[*head] = end..end + layer.n_outputs();
            end = columns[*head].end;
        }
        let rest = end..end + last.as_ref().map_or(0, Layer::n_outputs);
        let parts = heads.into_iter().map(|(_, layer)| layer).chain(last);
        let layer = self.layer(parts.collect());
        (HeadLayer { layer, columns }, rest)
    }

    /// Combines the columns of `parts`, which have the same rows and taps, into one layer.
    pub(super) fn layer(&mut self, parts: Vec<Layer>) -> TrainedLayer {
        let n_taps = parts[0].n_taps;
        // Whole cells of inputs, so that all panels of the gradient have the same size.
        let n_inputs = (parts[0].n_rows() / n_taps).next_multiple_of(Cell::LEN);
        let n_outputs = parts.iter().map(Layer::n_outputs).sum();
        let matrix = Matrix::zero(n_inputs, n_taps, n_outputs);
        TrainedLayer {
            back: Matrix::zero(n_outputs, n_taps, n_inputs),
            weights: self.reserve(matrix.weights.len()),
            bias: self.reserve(matrix.bias.len()),
            matrix,
            pairs: None,
            parts,
        }
    }
}
