//! Muon (Jordan et al. 2024, <https://kellerjordan.github.io/posts/muon/>) for one matrix.
//! [`device`](crate::device) has another implementation.
//!
//! AdamW equalizes the step sizes of single weights. Muon equalizes them for whole directions of a
//! matrix: it steps along the orthogonal matrix nearest to the running mean of the gradient, so
//! that common directions do not drown out rare ones.

use rayon::prelude::*;

use super::instructions::InstructionSet;
use super::matrix::cells;
use super::simd::{Cell, Kernel, Simd};
use crate::backend::StepSettings;

/// The decay of the running mean of the gradient, as in Jordan et al.
pub(crate) const MOMENTUM: f32 = 0.95;

/// Scales Muon's steps to about the size of AdamW's, so that both can share one learning rate (Liu
/// et al. 2025, arXiv 2502.16982): the entries of an orthogonal matrix have the root mean square 1
/// / sqrt(longer side).
pub(crate) const STEP: f32 = 0.2;

/// Coefficients of the quintic Newton-Schulz iteration, chosen by Jordan et al. for a steep slope
/// at 0: five rounds bring singular values to about 0.7 to 1.2, which is close enough to 1.
pub(crate) const QUINTIC: [f32; 3] = [3.4445, -4.775, 2.0315];
pub(crate) const ROUNDS: usize = 5;

/// Keeps the norm of a matrix above zero.
pub(crate) const SHORTEST: f32 = 1e-7;

/// Updates a matrix of `n_columns` with the gradient g:
///
/// m = b m + (1 - b) g, w = w - rate (0.2 sqrt(longer side) orthogonal(b m + (1 - b) g) + decay w).
pub(super) fn update(
    weights: &mut [f32],
    mean: &mut [f32],
    gradient: &[f32],
    n_columns: usize,
    settings: &StepSettings,
) {
    let take = |m: f32, g: f32| m + (1.0 - MOMENTUM) * (g - m);
    mean.iter_mut()
        .zip(gradient)
        .for_each(|(m, g)| *m = take(*m, *g));
    // The mean after another gradient of the same value (Nesterov).
    let ahead = mean.iter().zip(gradient).map(|(m, g)| take(*m, *g));
    let direction = orthogonal(&ahead.collect::<Vec<_>>(), n_columns);
    let longer = n_columns.max(weights.len() / n_columns);
    let step = settings.learning_rate * STEP * (longer as f32).sqrt();
    let keep = 1.0 - settings.learning_rate * settings.weight_decay;
    for (weight, direction) in weights.iter_mut().zip(direction) {
        *weight = *weight * keep - step * direction;
    }
}

/// An approximation of the nearest orthogonal matrix: the same singular vectors, singular values
/// near 1.
fn orthogonal(values: &[f32], n_columns: usize) -> Vec<f32> {
    let square = |&x: &f32| f64::from(x) * f64::from(x);
    let length = values.iter().map(square).sum::<f64>().sqrt() as f32;
    let matrix = Padded::new(values, n_columns, 1.0 / length.max(SHORTEST));
    // The Gram matrix of the shorter side is smaller.
    let is_wide = matrix.n_columns() > matrix.n_rows();
    let turn = |matrix: Padded| match is_wide {
        true => matrix.transposed(),
        false => matrix,
    };
    let mut matrix = turn(matrix);
    matrix.orthogonalise(InstructionSet::best());
    let matrix = turn(matrix);
    let rows = Cell::flatten(&matrix.cells).chunks_exact(matrix.n_columns());
    let rows = rows.take(values.len() / n_columns);
    rows.flat_map(|row| &row[..n_columns]).copied().collect()
}

/// A matrix, padded with zeros to whole cells in both directions; all operations keep the padding
/// zero.
struct Padded {
    /// `[row][cell]`
    cells: Vec<Cell>,
    /// Cells per row.
    width: usize,
}

/// The number of rows computed together.
const HEIGHT: usize = 4;

impl Padded {
    fn zero(n_rows: usize, n_columns: usize) -> Self {
        let width = n_columns.div_ceil(Cell::LEN);
        Self {
            cells: vec![Cell::ZERO; n_rows.next_multiple_of(Cell::LEN) * width],
            width,
        }
    }

    fn new(values: &[f32], n_columns: usize, factor: f32) -> Self {
        let mut matrix = Self::zero(values.len() / n_columns, n_columns);
        let rows = matrix.cells.chunks_exact_mut(matrix.width);
        for (row, values) in rows.zip(values.chunks_exact(n_columns)) {
            row.copy_from_slice(&cells(values));
        }
        let values = matrix.cells.iter_mut().flat_map(|cell| &mut cell.0);
        values.for_each(|value| *value *= factor);
        matrix
    }

    fn n_rows(&self) -> usize {
        self.cells.len() / self.width
    }

    fn n_columns(&self) -> usize {
        self.width * Cell::LEN
    }

    fn transposed(&self) -> Self {
        let mut other = Self::zero(self.n_columns(), self.n_rows());
        for (row, cells) in self.cells.chunks_exact(self.width).enumerate() {
            let (cell, lane) = (row / Cell::LEN, row % Cell::LEN);
            for (column, value) in Cell::flatten(cells).iter().enumerate() {
                other.cells[column * other.width + cell].0[lane] = *value;
            }
        }
        other
    }

    /// Replaces each value by `change` of itself and of the value at the same place of `other`.
    fn change(&mut self, other: &Self, change: impl Fn(f32, f32) -> f32) {
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            for (value, other) in cell.0.iter_mut().zip(other.0) {
                *value = change(*value, other);
            }
        }
    }

    /// `self . other`
    fn times(&self, instructions: InstructionSet, other: &Self) -> Self {
        let strides = [self.n_columns(), 1];
        product(instructions, self, strides, self.n_rows(), other)
    }

    /// `self^T . self`
    fn gram(&self, instructions: InstructionSet) -> Self {
        let n_columns = self.n_columns();
        product(instructions, self, [1, n_columns], n_columns, self)
    }

    /// Brings the singular values of a matrix of norm 1, at least as high as wide, close to 1.
    fn orthogonalise(&mut self, instructions: InstructionSet) {
        let [a, b, c] = QUINTIC;
        for _ in 0..ROUNDS {
            let gram = self.gram(instructions);
            let mut factor = gram.times(instructions, &gram);
            factor.change(&gram, |square, gram| c * square + b * gram);
            let turned = self.times(instructions, &factor);
            self.change(&turned, |x, turned| a * x + turned);
        }
    }
}

/// `left . right`, where `left` has `n_rows` and the given strides between rows and columns. The
/// rows are distributed over threads.
fn product(
    instructions: InstructionSet,
    left: &Padded,
    [down, along]: [usize; 2],
    n_rows: usize,
    right: &Padded,
) -> Padded {
    let mut product = Padded::zero(n_rows, right.n_columns());
    let left = Cell::flatten(&left.cells);
    let bands = product.cells.par_chunks_exact_mut(HEIGHT * right.width);
    bands.enumerate().for_each(|(index, band)| {
        instructions.run(Band {
            left: &left[index * HEIGHT * down..],
            strides: [down, along],
            right,
            product: band,
        });
    });
    product
}

/// A band of rows of a product.
struct Band<'a> {
    /// The values of `left`, from the first row of the band.
    left: &'a [f32],
    /// The strides from a row to the next, and from a column to the next.
    strides: [usize; 2],
    right: &'a Padded,
    /// `[row][cell]`
    product: &'a mut [Cell],
}

impl Kernel for Band<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (width, [down, along]) = (self.right.width, self.strides);
        for cell in 0..width {
            for lane in (0..Cell::LEN).step_by(2 * S::LANES) {
                let mut sums = [[simd.splat(0.0); 2]; HEIGHT];
                for (k, right) in self.right.cells.chunks_exact(width).enumerate() {
                    let right = [0, S::LANES].map(|half| simd.load(&right[cell], lane + half));
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let left = simd.splat(self.left[row * down + k * along]);
                        for half in [0, 1] {
                            sums[half] = simd.multiply_add(left, right[half], sums[half]);
                        }
                    }
                }
                for (row, sums) in sums.into_iter().enumerate() {
                    let cell = &mut self.product[row * width + cell];
                    simd.store(cell, lane, sums[0]);
                    simd.store(cell, lane + S::LANES, sums[1]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::{Optimizer, PerHead};

    fn random(n_values: usize, seed: u64) -> Vec<f32> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        (0..n_values).map(|_| rng.random_range(-1.0..1.0)).collect()
    }

    /// `left . right` by definition; `right` has `n_columns` columns.
    fn product(left: &[f32], right: &[f32], n_columns: usize) -> Vec<f32> {
        let depth = right.len() / n_columns;
        let cell = |row: &[f32], column: usize| -> f32 {
            let pairs = row.iter().zip(right[column..].iter().step_by(n_columns));
            pairs.map(|(a, b)| a * b).sum()
        };
        let rows = left.chunks_exact(depth);
        rows.flat_map(|row| {
            (0..n_columns)
                .map(|column| cell(row, column))
                .collect::<Vec<_>>()
        })
        .collect()
    }

    fn transposed(values: &[f32], n_columns: usize) -> Vec<f32> {
        let column = |column: usize| values[column..].iter().step_by(n_columns).copied();
        (0..n_columns).flat_map(column).collect()
    }

    fn assert_holds(found: &Padded, expected: &[f32], n_columns: usize) {
        for (row, expected) in expected.chunks_exact(n_columns).enumerate() {
            let found = &found.cells[row * found.width..][..found.width];
            for (found, expected) in Cell::flatten(found).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{found} {expected}");
            }
        }
    }

    #[test]
    fn products_are_those_of_the_definition() {
        for (n_rows, depth, n_columns) in [(16, 16, 16), (5, 40, 17), (33, 3, 64)] {
            let (left, right) = (random(n_rows * depth, 1), random(depth * n_columns, 2));
            let expected = product(&left, &right, n_columns);
            let gram = product(&transposed(&left, depth), &left, depth);
            let [left, right] = [(&left, depth), (&right, n_columns)]
                .map(|(values, n_columns)| Padded::new(values, n_columns, 1.0));
            for instructions in InstructionSet::available() {
                assert_holds(&left.times(instructions, &right), &expected, n_columns);
                assert_holds(&left.gram(instructions), &gram, depth);
            }
        }
    }

    /// U^T M is symmetric and positive if U is the orthogonal matrix nearest to M, and U^T U is 1.
    #[test]
    fn directions_are_nearly_orthogonal_and_go_along_the_matrix() {
        for (n_rows, n_columns) in [(160, 32), (32, 160), (64, 8), (20, 20)] {
            let matrix = random(n_rows * n_columns, 3);
            let direction = orthogonal(&matrix, n_columns);
            let shorter = n_rows.min(n_columns);
            let tall = |values: &[f32]| match n_columns > n_rows {
                true => transposed(values, n_columns),
                false => values.to_vec(),
            };
            let (matrix, direction) = (tall(&matrix), tall(&direction));
            let turned = transposed(&direction, shorter);
            let gram = product(&turned, &direction, shorter);
            let along = product(&turned, &matrix, shorter);
            for row in 0..shorter {
                // A few small singular values of a square matrix are still far from 1.
                let diagonal = gram[row * shorter + row];
                assert!((0.4..1.5).contains(&diagonal), "{diagonal}");
                assert!(along[row * shorter + row] > 0.0);
                for column in 0..row {
                    let [a, b] = [(row, column), (column, row)].map(|(i, j)| i * shorter + j);
                    assert!(gram[a].abs() < 0.3, "{}", gram[a]);
                    assert!((along[a] - along[b]).abs() < 1e-3);
                }
            }
        }
    }

    #[test]
    fn the_size_of_gradients_does_not_matter_and_nothing_moves_nothing() {
        let matrix = random(40 * 16, 4);
        let larger: Vec<f32> = matrix.iter().map(|value| 1024.0 * value).collect();
        assert_eq!(orthogonal(&matrix, 16), orthogonal(&larger, 16));
        assert_eq!(orthogonal(&[0.0; 64], 8), [0.0; 64]);
    }

    #[test]
    fn a_step_follows_the_formula() {
        let settings = StepSettings {
            precision: crate::StepPrecision::F32,
            optimiser: Optimizer::Muon,
            learning_rate: 0.01,
            weight_decay: 0.5,
            gradient_clip: 1.0,
            ema_decay: 0.9,
            loss_weights: PerHead::default(),
            steps_between_reports: 1,
        };
        let (mut weights, mut mean) = (random(24 * 8, 5), random(24 * 8, 6));
        let (gradient, before) = (random(24 * 8, 7), weights.clone());
        let next = |mean: &[f32]| -> Vec<f32> {
            let pairs = mean.iter().zip(&gradient);
            pairs.map(|(m, g)| 0.95 * m + 0.05 * g).collect()
        };
        let expected_mean = next(&mean);
        let direction = orthogonal(&next(&expected_mean), 8);
        update(&mut weights, &mut mean, &gradient, 8, &settings);
        for (found, expected) in mean.iter().zip(&expected_mean) {
            assert!((found - expected).abs() < 1e-6);
        }
        for ((found, before), direction) in weights.iter().zip(&before).zip(&direction) {
            let expected = before * 0.995 - 0.01 * 0.2 * 24.0_f32.sqrt() * direction;
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
    }
}
