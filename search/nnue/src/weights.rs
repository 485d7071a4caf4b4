//! Floating-point networks for training.

use std::ops::Range;

use rules::{Color, Position};

use crate::features::Pieces;
use crate::shape::{BUCKETS, Shape, WIDTH};

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
        let shape = &self.shape;
        let mut hidden = self.layer(shape.hidden(), shape.hidden_bias(), bucket, &inputs);
        clip(&mut hidden);
        let mut last = self.layer(shape.last(), shape.last_bias(), bucket, &hidden);
        clip(&mut last);
        self.layer(shape.output(), shape.output_bias(), bucket, &last)[0]
    }

    /// The sums of a layer's neurons.
    fn layer(
        &self,
        weights: Range<usize>,
        biases: Range<usize>,
        bucket: usize,
        inputs: &[f32],
    ) -> Vec<f32> {
        let n_neurons = biases.len() / BUCKETS;
        let biases = &self.values[biases][bucket * n_neurons..][..n_neurons];
        let weights = &self.values[weights][bucket * n_neurons * inputs.len()..];
        let product = |row: &[f32]| row.iter().zip(inputs).map(|(a, b)| a * b).sum::<f32>();
        let rows = weights.chunks_exact(inputs.len()).zip(biases);
        rows.map(|(row, bias)| product(row) + bias).collect()
    }
}

fn clip(values: &mut [f32]) {
    for value in values {
        *value = value.clamp(0.0, 1.0);
    }
}
