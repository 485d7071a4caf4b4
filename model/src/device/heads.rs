//! The network's outputs, and move logits computed from them.

use burn::tensor::{Int, Tensor};

/// The output of a head for a batch.
#[derive(Clone, Debug)]
pub enum HeadOutput {
    /// A per-square output, `[batch, squares, outputs]`.
    Squares(Tensor<3>),
    /// An output for the whole position, `[batch, outputs]`.
    Board(Tensor<2>),
}

/// For each square a vector as a move's origin, one as its destination, and a scalar as a captured
/// piece's square.
#[derive(Clone, Debug)]
pub struct PolicyOutput {
    /// `[batch, squares, d]`
    pub from: Tensor<3>,
    /// `[batch, squares, d]`
    pub to: Tensor<3>,
    /// `[batch, squares, 1]`
    pub captured: Tensor<3>,
}

impl PolicyOutput {
    /// Splits `y` `[batch, squares, 2 d + 1]`.
    pub(super) fn new(y: Tensor<3>) -> Self {
        let dim = y.dims()[2] / 2;
        Self {
            from: y.clone().narrow(2, 0, dim),
            to: y.clone().narrow(2, dim, dim),
            captured: y.narrow(2, 2 * dim, 1),
        }
    }

    /// The part of the logits without captures, for `from * squares + to` of each move,
    /// `[batch, moves]`.
    pub fn scores(&self, pairs: Tensor<2, Int>) -> Tensor<2> {
        let [batch, n_squares, dim] = self.from.dims();
        let scores = self.from.clone().matmul(self.to.clone().swap_dims(1, 2)); // [batch, squares, squares]
        let scores = scores
            .reshape([batch, n_squares * n_squares])
            .gather(1, pairs);
        scores / (dim as f32).sqrt()
    }
}
