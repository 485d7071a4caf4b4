//! The gradient of the loss, written by hand: the first layer is sparse, and everything else is
//! small.
//!
//! The order of floating point sums does not depend on the processor's vector width: dot products
//! use [`LANES`] separate sums.

use nnue::{HIDDEN, LAST, Shape, WIDTH, Weights};

use crate::examples::Example;

/// The number of parallel sums in a dot product.
const LANES: usize = 16;

/// The activations of one example, and the derivatives of the backward pass.
pub(crate) struct Pass {
    inputs: [f32; 2 * WIDTH],
    hidden: [f32; HIDDEN],
    last: [f32; LAST],
    d_inputs: [f32; 2 * WIDTH],
}

impl Pass {
    pub(crate) const EMPTY: Pass = Pass {
        inputs: [0.0; 2 * WIDTH],
        hidden: [0.0; HIDDEN],
        last: [0.0; LAST],
        d_inputs: [0.0; 2 * WIDTH],
    };

    /// The expected result for the side to move, from 0 to 1.
    #[inline(always)]
    pub(crate) fn forward(&mut self, network: &Weights, example: &Example) -> f32 {
        let (shape, weights) = (&network.shape, &network.values[..]);
        let bias = &weights[shape.first_bias()];
        let (own, other) = self.inputs.split_at_mut(WIDTH);
        own.copy_from_slice(bias);
        other.copy_from_slice(bias);
        let first = &weights[shape.first()];
        example.for_each_input(shape.n_squares, |mine, theirs| {
            add(own, &first[mine * WIDTH..][..WIDTH]);
            add(other, &first[theirs * WIDTH..][..WIDTH]);
        });
        let tail = Tail::new(shape, example);
        for input in &mut self.inputs {
            *input = input.clamp(0.0, 1.0);
        }
        for (neuron, hidden) in self.hidden.iter_mut().enumerate() {
            let row = &weights[tail.hidden + neuron * 2 * WIDTH..][..2 * WIDTH];
            let sum = dot(row, &self.inputs) + weights[tail.hidden_bias + neuron];
            *hidden = sum.clamp(0.0, 1.0);
        }
        for (neuron, last) in self.last.iter_mut().enumerate() {
            let row = &weights[tail.last + neuron * HIDDEN..][..HIDDEN];
            let sum = dot(row, &self.hidden) + weights[tail.last_bias + neuron];
            *last = sum.clamp(0.0, 1.0);
        }
        let output = &weights[tail.output..][..LAST];
        let logit = dot(output, &self.last) + weights[tail.output_bias];
        1.0 / (1.0 + libm::expf(-logit))
    }

    /// Adds the gradient, given the derivative of the loss by the logit, after [`Pass::forward`] of
    /// the same example.
    #[inline(always)]
    pub(crate) fn backward(
        &mut self,
        network: &Weights,
        example: &Example,
        d_logit: f32,
        gradient: &mut [f32],
    ) {
        let (shape, weights) = (&network.shape, &network.values[..]);
        let tail = Tail::new(shape, example);
        add_scaled(&mut gradient[tail.output..][..LAST], d_logit, &self.last);
        gradient[tail.output_bias] += d_logit;
        let mut d_hidden = [0.0; HIDDEN];
        for neuron in 0..LAST {
            let d = inside(self.last[neuron]) * d_logit * weights[tail.output + neuron];
            let row = tail.last + neuron * HIDDEN..tail.last + (neuron + 1) * HIDDEN;
            add_scaled(&mut d_hidden, d, &weights[row.clone()]);
            add_scaled(&mut gradient[row], d, &self.hidden);
            gradient[tail.last_bias + neuron] += d;
        }
        self.d_inputs = [0.0; 2 * WIDTH];
        for neuron in 0..HIDDEN {
            let d = inside(self.hidden[neuron]) * d_hidden[neuron];
            let start = tail.hidden + neuron * 2 * WIDTH;
            let row = start..start + 2 * WIDTH;
            add_scaled(&mut self.d_inputs, d, &weights[row.clone()]);
            add_scaled(&mut gradient[row], d, &self.inputs);
            gradient[tail.hidden_bias + neuron] += d;
        }
        for (d, input) in self.d_inputs.iter_mut().zip(&self.inputs) {
            *d *= inside(*input);
        }
        let (own, other) = self.d_inputs.split_at(WIDTH);
        let bias = &mut gradient[shape.first_bias()];
        add(bias, own);
        add(bias, other);
        let first = &mut gradient[shape.first()];
        example.for_each_input(shape.n_squares, |mine, theirs| {
            add(&mut first[mine * WIDTH..][..WIDTH], own);
            add(&mut first[theirs * WIDTH..][..WIDTH], other);
        });
    }
}

/// The offsets of the weights of an example's bucket.
struct Tail {
    hidden: usize,
    hidden_bias: usize,
    last: usize,
    last_bias: usize,
    output: usize,
    output_bias: usize,
}

impl Tail {
    #[inline(always)]
    fn new(shape: &Shape, example: &Example) -> Tail {
        let bucket = shape.bucket(example.n_pieces());
        Tail {
            hidden: shape.hidden().start + bucket * HIDDEN * 2 * WIDTH,
            hidden_bias: shape.hidden_bias().start + bucket * HIDDEN,
            last: shape.last().start + bucket * LAST * HIDDEN,
            last_bias: shape.last_bias().start + bucket * LAST,
            output: shape.output().start + bucket * LAST,
            output_bias: shape.output_bias().start + bucket,
        }
    }
}

/// The derivative of clipping: 1 inside the range, 0 outside.
#[inline(always)]
fn inside(clipped: f32) -> f32 {
    f32::from(u8::from(clipped > 0.0 && clipped < 1.0))
}

#[inline(always)]
fn add(sums: &mut [f32], row: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += value;
    }
}

#[inline(always)]
fn add_scaled(sums: &mut [f32], scale: f32, row: &[f32]) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += scale * value;
    }
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let ((a, _), (b, _)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::initial_weights;
    use rules::{Game, Variant};

    /// Positions of a game in which the first legal move is always played.
    fn game(variant: Variant) -> Vec<(rules::Position, Example)> {
        let mut game = Game::new(rules::Position::start(variant));
        let mut line = Vec::new();
        while game.outcome().is_none() && line.len() < 40 {
            let position = *game.position();
            line.push((position, Example::new(&position, 0.5, 0.5)));
            game.play(game.legal_moves()[0]);
        }
        line
    }

    #[test]
    fn forward_is_the_definition() {
        for variant in Variant::GAMES {
            let shape = Shape::of(variant);
            let weights = initial_weights(shape, 3);
            let mut pass = Pass::EMPTY;
            for (position, example) in game(variant) {
                let expected = 1.0 / (1.0 + (-weights.logit(&position)).exp());
                let found = pass.forward(&weights, &example);
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{variant}: {found}, {expected}"
                );
            }
        }
    }

    #[test]
    fn the_gradient_is_the_slope() {
        let variant = Variant::English;
        let shape = Shape::of(variant);
        let mut weights = initial_weights(shape, 4);
        let (_, example) = game(variant)[20];
        let mut pass = Pass::EMPTY;
        pass.forward(&weights, &example);
        let mut gradient = vec![0.0; shape.n_weights()];
        pass.backward(&weights, &example, 1.0, &mut gradient);
        let mut logit = |weights: &Weights| {
            let p = f64::from(pass.forward(weights, &example));
            (p / (1.0 - p)).ln()
        };
        let tail = Tail::new(&shape, &example);
        let mut n_nonzero = 0;
        let starts = [
            shape.first_bias().start,
            tail.hidden,
            tail.last,
            tail.output,
        ];
        let ends = [tail.hidden_bias, tail.last_bias, tail.output_bias];
        let mut places: Vec<usize> = starts
            .iter()
            .flat_map(|start| *start..*start + 24)
            .collect();
        example.for_each_input(shape.n_squares, |mine, _| places.push(mine * WIDTH + mine));
        for at in places.into_iter().chain(ends) {
            let (old, step) = (weights.values[at], 2e-3);
            let [below, here, above] = [-step, 0.0, step].map(|change| {
                weights.values[at] = old + change;
                logit(&weights)
            });
            weights.values[at] = old;
            let slopes = [here - below, above - here].map(|rise| rise / f64::from(step));
            let tolerance = 3e-3 + 0.03 * slopes[0].abs();
            // At the edge of clipping there is no slope to compare with.
            if (slopes[0] - slopes[1]).abs() > tolerance {
                continue;
            }
            let found = f64::from(gradient[at]);
            assert!(
                (slopes[0] - found).abs() < tolerance,
                "{at}: {slopes:?}, {found}"
            );
            n_nonzero += u32::from(found != 0.0);
        }
        assert!(n_nonzero > 40, "{n_nonzero}");
    }
}
