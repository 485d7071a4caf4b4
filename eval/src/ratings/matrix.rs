//! Dense symmetric positive definite systems: all the linear algebra that ratings need.

/// A square matrix, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    size: usize,
    /// [row * size + column]
    cells: Vec<f64>,
}

impl Matrix {
    pub(crate) fn zeros(size: usize) -> Self {
        Self {
            size,
            cells: vec![0.0; size * size],
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    /// The lower triangle C with C·Cᵀ = self, or `None` when self is not positive definite.
    pub(crate) fn cholesky(&self) -> Option<Cholesky> {
        let mut lower = Self::zeros(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let (a, b) = (lower.row(row), lower.row(column));
                let rest = self.get(row, column) - dot(&a[..column], &b[..column]);
                let value = if row != column {
                    rest / lower.get(column, column)
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return None;
                };
                lower.add(row, column, value);
            }
        }
        let upper = lower.transposed();
        Some(Cholesky { lower, upper })
    }

    fn transposed(&self) -> Self {
        let mut result = Self::zeros(self.size);
        for row in 0..self.size {
            for (column, &value) in self.row(row).iter().enumerate() {
                result.add(column, row, value);
            }
        }
        result
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..(row + 1) * self.size]
    }
}

/// The sum of products, in eight sums side by side so that it fills vector registers.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_chunks, a_rest) = a.as_chunks::<8>();
    let (b_chunks, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

/// A Cholesky factor C, and its transpose so that both substitutions run along rows.
pub(crate) struct Cholesky {
    lower: Matrix,
    upper: Matrix,
}

impl Cholesky {
    /// The x with C·Cᵀ·x = `right`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let Self { lower, upper } = self;
        let mut x = right.to_vec();
        for row in 0..x.len() {
            x[row] = (x[row] - dot(&lower.row(row)[..row], &x[..row])) / lower.get(row, row);
        }
        for row in (0..x.len()).rev() {
            let right_part = dot(&upper.row(row)[row + 1..], &x[row + 1..]);
            x[row] = (x[row] - right_part) / upper.get(row, row);
        }
        x
    }

    /// The inverse of C·Cᵀ.
    pub(crate) fn inverse(&self) -> Matrix {
        let size = self.lower.size;
        let mut inverse = Matrix::zeros(size);
        for column in 0..size {
            let mut unit = vec![0.0; size];
            unit[column] = 1.0;
            for (row, value) in self.solve(&unit).into_iter().enumerate() {
                inverse.add(row, column, value);
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: [[f64; 3]; 3]) -> Matrix {
        Matrix {
            size: 3,
            cells: rows.concat(),
        }
    }

    #[test]
    fn solves_and_inverts_a_known_matrix() {
        let factor = matrix([
            [4.0, 12.0, -16.0],
            [12.0, 37.0, -43.0],
            [-16.0, -43.0, 98.0],
        ])
        .cholesky()
        .unwrap();
        assert_eq!(
            factor.lower.cells,
            [2.0, 0.0, 0.0, 6.0, 1.0, 0.0, -8.0, 5.0, 3.0]
        );
        let x = factor.solve(&[0.0, 6.0, 39.0]);
        for (ours, known) in x.iter().zip([1.0, 1.0, 1.0]) {
            assert!((ours - known).abs() < 1e-9);
        }
        assert!((factor.inverse().get(2, 2) - 1.0 / 9.0).abs() < 1e-9);
    }

    #[test]
    fn refuses_what_is_not_positive_definite() {
        assert!(
            matrix([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
                .cholesky()
                .is_none()
        );
    }
}
