//! The Cholesky factorization, which ndarray leaves to LAPACK bindings.

use ndarray::{Array1, Array2, ArrayView1, s};

/// The lower triangular L of a symmetric positive definite A = L·Lᵀ, and its transpose, so that
/// both substitutions run along contiguous rows.
pub(crate) struct Cholesky {
    lower: Array2<f64>,
    upper: Array2<f64>,
}

impl Cholesky {
    /// Factorizes a symmetric matrix; `None` if it is not positive definite.
    pub(crate) fn new(matrix: &Array2<f64>) -> Option<Self> {
        let mut lower = Array2::<f64>::zeros(matrix.raw_dim());
        for row in 0..matrix.nrows() {
            for column in 0..=row {
                let left = lower.slice(s![row, ..column]);
                let rest = matrix[[row, column]] - left.dot(&lower.slice(s![column, ..column]));
                lower[[row, column]] = if row != column {
                    rest / lower[[column, column]]
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
        }
        let upper = lower.t().as_standard_layout().into_owned();
        Some(Self { lower, upper })
    }

    /// The x with A·x = `right`.
    pub(crate) fn solve(&self, right: ArrayView1<'_, f64>) -> Array1<f64> {
        let Self { lower, upper } = self;
        let mut x = right.to_owned();
        for row in 0..x.len() {
            let known = lower.slice(s![row, ..row]).dot(&x.slice(s![..row]));
            x[row] = (x[row] - known) / lower[[row, row]];
        }
        for row in (0..x.len()).rev() {
            let known = upper.slice(s![row, row + 1..]).dot(&x.slice(s![row + 1..]));
            x[row] = (x[row] - known) / upper[[row, row]];
        }
        x
    }

    /// The inverse of A.
    pub(crate) fn inverse(&self) -> Array2<f64> {
        let mut inverse = Array2::eye(self.lower.nrows());
        for mut column in inverse.columns_mut() {
            let solution = self.solve(column.view());
            column.assign(&solution);
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn solves_and_inverts_a_known_matrix() {
        let matrix = array![
            [4.0, 12.0, -16.0],
            [12.0, 37.0, -43.0],
            [-16.0, -43.0, 98.0]
        ];
        let factor = Cholesky::new(&matrix).unwrap();
        let known = array![[2.0, 0.0, 0.0], [6.0, 1.0, 0.0], [-8.0, 5.0, 3.0]];
        assert_eq!(factor.lower, known);
        let x = factor.solve(array![0.0, 6.0, 39.0].view());
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-9), "{x}");
        let product = matrix.dot(&factor.inverse());
        let error = product - Array2::<f64>::eye(3);
        assert!(error.iter().all(|cell| cell.abs() < 1e-9), "{error}");
    }

    #[test]
    fn refuses_what_is_not_positive_definite() {
        let matrix = array![[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert!(Cholesky::new(&matrix).is_none());
    }
}
