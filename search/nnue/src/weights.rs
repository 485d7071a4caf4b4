//! Floating-point networks for training.

use rules::{Color, Position};

use crate::features::Pieces;
use crate::shape::{HIDDEN, LAST, Shape, WIDTH};

/// The weights of a network in one vector; [`Shape`] gives the offsets.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The dimensions.
    pub shape: Shape,
    /// The weights, [`Shape::n_weights`] of them.
    pub values: Vec<f32>,
}

impl Weights {
    /// The logit of the expected result for the side to move: the reference definition for training
    /// and for the integer network.
    ///
    /// First layer: the sum of the rows of a view's inputs and the bias, clipped to 0..1, the view
    /// of the side to move first. Second and third: products and biases, clipped likewise. Output:
    /// product and bias.
    pub fn logit(&self, position: &Position) -> f32 {
        let (pieces, board) = (Pieces::of(position), position.board());
        let bucket = self.shape.bucket(pieces.count());
        let view = |color: Color| {
            let mut sums = self.values[self.shape.first_bias()].to_vec();
            for input in pieces.inputs(board, color) {
                let row = &self.values[self.shape.first()][input * WIDTH..][..WIDTH];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
            sums
        };
        let mut inputs = view(position.turn());
        inputs.extend(view(!position.turn()));
        clip(&mut inputs);
        let mut hidden = self.product::<HIDDEN>(self.shape.hidden(), bucket, &inputs);
        self.add::<HIDDEN>(self.shape.hidden_bias(), bucket, &mut hidden);
        clip(&mut hidden);
        let mut last = self.product::<LAST>(self.shape.last(), bucket, &hidden);
        self.add::<LAST>(self.shape.last_bias(), bucket, &mut last);
        clip(&mut last);
        let mut output = self.product::<1>(self.shape.output(), bucket, &last);
        self.add::<1>(self.shape.output_bias(), bucket, &mut output);
        output[0]
    }

    fn product<const N: usize>(
        &self,
        tensor: std::ops::Range<usize>,
        bucket: usize,
        inputs: &[f32],
    ) -> Vec<f32> {
        let matrix = &self.values[tensor][bucket * N * inputs.len()..][..N * inputs.len()];
        let row = |row: &[f32]| row.iter().zip(inputs).map(|(a, b)| a * b).sum();
        matrix.chunks_exact(inputs.len()).map(row).collect()
    }

    fn add<const N: usize>(&self, tensor: std::ops::Range<usize>, bucket: usize, sums: &mut [f32]) {
        let bias = &self.values[tensor][bucket * N..][..N];
        for (sum, bias) in sums.iter_mut().zip(bias) {
            *sum += bias;
        }
    }
}

fn clip(values: &mut [f32]) {
    for value in values {
        *value = value.clamp(0.0, 1.0);
    }
}
