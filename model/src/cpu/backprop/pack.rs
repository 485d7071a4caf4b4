//! Layers and tables in both directions: what is multiplied, and where gradients are added up.

use std::ops::Range;

use super::super::matrix::{Matrix, cells};
use super::super::simd::Cell;
use super::layers::{Gradient, HeadLayer};
use crate::graph::Layer;
use crate::shape::TensorSpec;
use crate::{HeadId, ModelError, ModelWeights, PerHead};

/// A matrix of which a few rows are added up: one of the input layer's. Its rows are whole cells.
#[derive(Clone, Debug)]
pub(super) struct Table {
    tensor: TensorSpec,
    /// `[row][cell]`
    pub(super) rows: Vec<Cell>,
    /// Where its gradient lies.
    pub(super) gradient: Range<usize>,
}

impl Table {
    pub(super) fn unpack(&self, gradient: &Gradient, weights: &mut ModelWeights) {
        let (name, shape) = (self.tensor.name.clone(), self.tensor.shape.clone());
        let values = Cell::flatten(&gradient.cells[self.gradient.clone()]);
        weights.insert(name, shape, values.to_vec());
    }
}

/// A convolution, or a product with one vector per position.
#[derive(Debug)]
pub(super) struct TrainedLayer {
    pub(super) matrix: Matrix,
    /// From the gradient of the output to that of the input.
    pub(super) back: Matrix,
    /// Where the gradient of the weights lies, in the order of `matrix`.
    pub(super) weights: Range<usize>,
    /// Where the gradient of the bias lies.
    pub(super) bias: Range<usize>,
    /// Those whose columns, side by side, are this layer.
    parts: Vec<Layer>,
}

impl TrainedLayer {
    /// As many of `taps` as this layer has.
    pub(super) fn taps<'a>(&self, taps: &'a [isize]) -> &'a [isize] {
        &taps[..self.parts[0].n_taps]
    }

    pub(super) fn unpack(&self, gradient: &Gradient, weights: &mut ModelWeights) {
        let values = self.matrix.unpack(&gradient.cells[self.weights.clone()]);
        let bias = Cell::flatten(&gradient.cells[self.bias.clone()]);
        let mut first = 0;
        for part in &self.parts {
            let columns = first..first + part.n_outputs();
            // Behind the last row there may be padding.
            let rows = values.chunks_exact(bias.len()).take(part.n_rows());
            let weight = rows.flat_map(|row| &row[columns.clone()]).copied();
            let TensorSpec { name, shape, .. } = part.weight.clone();
            weights.insert(name, shape, weight.collect());
            if let Some(TensorSpec { name, shape, .. }) = part.bias.clone() {
                weights.insert(name, shape, bias[columns.clone()].to_vec());
            }
            first = columns.end;
        }
    }
}

/// Reads tensors and gives their gradients their places.
pub(super) struct Packer<'a> {
    weights: &'a ModelWeights,
    n_gradient_cells: usize,
}

impl<'a> Packer<'a> {
    pub(super) fn new(weights: &'a ModelWeights) -> Self {
        Self {
            weights,
            n_gradient_cells: 0,
        }
    }

    /// Cells of all gradients.
    pub(super) fn n_gradient_cells(&self) -> usize {
        self.n_gradient_cells
    }

    fn reserve(&mut self, n_cells: usize) -> Range<usize> {
        let start = self.n_gradient_cells;
        self.n_gradient_cells += n_cells;
        start..self.n_gradient_cells
    }

    pub(super) fn table(&mut self, tensor: &TensorSpec) -> Result<Table, ModelError> {
        let rows = cells(self.weights.values(&tensor.name, &tensor.shape)?);
        Ok(Table {
            gradient: self.reserve(rows.len()),
            tensor: tensor.clone(),
            rows,
        })
    }

    /// Heads of squares or of the board side by side, and behind them the columns of `last`.
    pub(super) fn heads(
        &mut self,
        heads: Vec<(HeadId, Layer)>,
        last: Option<Layer>,
    ) -> Result<(HeadLayer, Range<usize>), ModelError> {
        let mut columns: PerHead<Range<usize>> = PerHead::new(|_| 0..0);
        let mut end = 0;
        for (head, layer) in &heads {
            columns[*head] = end..end + layer.n_outputs();
            end = columns[*head].end;
        }
        let rest = end..end + last.as_ref().map_or(0, Layer::n_outputs);
        let parts: Vec<_> = heads
            .into_iter()
            .map(|(_, layer)| layer)
            .chain(last)
            .collect();
        let layer = self.layer(&parts)?;
        Ok((HeadLayer { layer, columns }, rest))
    }

    /// The layer whose columns are those of `parts`, which have the same rows and taps.
    pub(super) fn layer(&mut self, parts: &[Layer]) -> Result<TrainedLayer, ModelError> {
        let n_taps = parts[0].n_taps;
        // Whole cells of inputs, so that the gradient's panels are all of one size.
        let n_inputs = (parts[0].n_rows() / n_taps).next_multiple_of(Cell::LEN);
        let (weights, bias) = self.side_by_side(parts, n_taps * n_inputs)?;
        let n_columns = bias.len();
        let mut back = vec![0.0; weights.len()];
        for (row, values) in weights.chunks_exact(n_columns).enumerate() {
            let (tap, input) = (row / n_inputs, row % n_inputs);
            for (column, value) in values.iter().enumerate() {
                back[(tap * n_columns + column) * n_inputs + input] = *value;
            }
        }
        let matrix = Matrix::pack(&weights, n_taps, &bias);
        Ok(TrainedLayer {
            back: Matrix::pack(&back, n_taps, &vec![0.0; n_inputs]),
            weights: self.reserve(matrix.weights.len()),
            bias: self.reserve(matrix.bias.len()),
            matrix,
            parts: parts.to_vec(),
        })
    }

    /// The layers' columns as one matrix of `n_rows` rows, the last ones zero, and their biases.
    fn side_by_side(
        &self,
        layers: &[Layer],
        n_rows: usize,
    ) -> Result<(Vec<f32>, Vec<f32>), ModelError> {
        let n_columns = layers.iter().map(Layer::n_outputs).sum();
        let (mut weights, mut biases) = (vec![0.0; n_rows * n_columns], vec![0.0; n_columns]);
        let mut first = 0;
        for layer in layers {
            let width = layer.n_outputs();
            let columns = first..first + width;
            let (part, bias) = self.weights.layer(layer)?;
            for (row, part) in weights
                .chunks_exact_mut(n_columns)
                .zip(part.chunks_exact(width))
            {
                row[columns.clone()].copy_from_slice(part);
            }
            biases[columns][..bias.len()].copy_from_slice(bias);
            first += width;
        }
        Ok((weights, biases))
    }
}
