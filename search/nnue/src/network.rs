//! Integer networks for inference.
//!
//! Products are summed in 32 bits without rounding, so results depend neither on the order of
//! summation nor on the instruction set.

use alphabeta::{Evaluation, LOGIT, MAX_EVALUATION};
use rules::{Position, Variant};
use safetensors::Dtype;
use types::Strength;

use crate::error::NetworkError;
use crate::features::Pieces;
use crate::instructions::Instructions;
use crate::shape::{BUCKETS, HIDDEN, LAST, Shape, WIDTH};
use crate::tensors::{ACTIVATION_ONE, Tensor, WEIGHT_BITS};
use crate::weights::Weights;

/// The weights of one input, or the accumulator of one view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
struct Row([i16; WIDTH]);

/// The layers after the first, for one bucket.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
struct Tail {
    hidden: [[i16; 2 * WIDTH]; HIDDEN],
    hidden_bias: [i32; HIDDEN],
    /// Stored by input rather than by neuron: with so few inputs, adding them neuron by neuron in
    /// parallel is fastest.
    last: [[i16; LAST]; HIDDEN],
    last_bias: [i32; LAST],
    output: [i16; LAST],
    output_bias: i32,
}

/// A learned evaluation of one variant.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    variant: Variant,
    shape: Shape,
    first: Box<[Row]>,
    first_bias: Row,
    tails: Box<[Tail]>,
    instructions: Instructions,
    pub(crate) strength: Strength,
}

/// The accumulators of the first layer for a position, in both views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    pieces: Pieces,
    /// \[color\]
    views: [Row; 2],
}

impl Network {
    /// The network with these integers, in the order of [`Weights`].
    pub(crate) fn from_integers(
        variant: Variant,
        integers: &[i32],
    ) -> Result<Network, NetworkError> {
        let shape = Shape::of(variant);
        let first = &integers[shape.first()];
        let tail = |bucket| Tail {
            hidden: matrix(&integers[shape.hidden()], bucket),
            hidden_bias: row(&integers[shape.hidden_bias()], bucket),
            last: transposed(matrix(&integers[shape.last()], bucket)),
            last_bias: row(&integers[shape.last_bias()], bucket),
            output: short(row(&integers[shape.output()], bucket)),
            output_bias: integers[shape.output_bias()][bucket],
        };
        let network = Network {
            variant,
            shape,
            first: (0..shape.n_inputs())
                .map(|input| Row(short(row(first, input))))
                .collect(),
            first_bias: Row(short(row(&integers[shape.first_bias()], 0))),
            tails: (0..BUCKETS).map(tail).collect(),
            instructions: Instructions::best(),
            strength: Strength::default(),
        };
        network.check()?;
        Ok(network)
    }

    /// Its integers, in the order of [`Weights`].
    pub(crate) fn integers(&self) -> Vec<i32> {
        let tails = || self.tails.iter();
        let mut all = Vec::with_capacity(self.shape.n_weights());
        all.extend(self.first.iter().flat_map(|row| row.0.map(i32::from)));
        all.extend(self.first_bias.0.map(i32::from));
        all.extend(tails().flat_map(|tail| tail.hidden.concat()).map(i32::from));
        all.extend(tails().flat_map(|tail| tail.hidden_bias));
        let last = |tail: &Tail| transposed(tail.last).concat();
        all.extend(tails().flat_map(last).map(i32::from));
        all.extend(tails().flat_map(|tail| tail.last_bias));
        all.extend(tails().flat_map(|tail| tail.output).map(i32::from));
        all.extend(tails().map(|tail| tail.output_bias));
        all
    }

    /// The measured ratings of players with this evaluation; empty if there are none.
    pub fn strength(&self) -> &Strength {
        &self.strength
    }

    /// Sets the measured ratings of players that use this evaluation.
    #[must_use]
    pub fn with_strength(mut self, strength: Strength) -> Network {
        self.strength = strength;
        self
    }

    /// Quantizes weights to the nearest integer network.
    ///
    /// # Errors
    /// If a weight is not finite or does not fit its integer type.
    pub fn from_weights(variant: Variant, weights: &Weights) -> Result<Network, NetworkError> {
        let shape = Shape::of(variant);
        if weights.shape != shape || weights.values.len() != shape.n_weights() {
            return Err(NetworkError::Size {
                tensor: "weights",
                found: weights.values.len(),
                expected: shape.n_weights(),
            });
        }
        let mut integers = Vec::with_capacity(shape.n_weights());
        for tensor in Tensor::all(&shape) {
            let limit = match tensor.dtype {
                Dtype::I16 => f64::from(i16::MAX),
                _ => f64::from(i32::MAX),
            };
            for &value in &weights.values[tensor.range] {
                let scaled = (f64::from(value) * f64::from(tensor.one)).round();
                if scaled.is_nan() || scaled.abs() > limit {
                    let tensor = tensor.name;
                    return Err(NetworkError::Weight { tensor, value });
                }
                integers.push(scaled as i32);
            }
        }
        Network::from_integers(variant, &integers)
    }

    /// Converts to floating point; quantizing the result gives the same network again.
    pub fn to_weights(&self) -> Weights {
        let integers = self.integers();
        let values = Tensor::all(&self.shape).into_iter().flat_map(|tensor| {
            let integers = integers[tensor.range].iter();
            integers.map(move |integer| *integer as f32 / tensor.one as f32)
        });
        Weights {
            shape: self.shape,
            values: values.collect(),
        }
    }

    /// Uses other instructions; results do not change.
    #[must_use]
    pub fn with_instructions(mut self, instructions: Instructions) -> Network {
        self.instructions = instructions;
        self
    }

    /// The variant that this network evaluates.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The network's dimensions.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The score of a position of the network's variant, computed from scratch.
    pub fn score(&self, position: &Position) -> i32 {
        let empty = self.state();
        self.evaluate(position, &empty, &mut empty.clone())
    }

    /// Rejects weights whose sums could overflow.
    fn check(&self) -> Result<(), NetworkError> {
        let most_pieces = 2 * self.variant.board().max_pieces() as usize;
        for neuron in 0..WIDTH {
            let mut sizes: Vec<i32> = self
                .first
                .iter()
                .map(|row| i32::from(row.0[neuron]).abs())
                .collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let most: i32 = sizes.iter().take(most_pieces).sum();
            if most + i32::from(self.first_bias.0[neuron]).abs() > i32::from(i16::MAX) {
                return Err(NetworkError::Overflow {
                    layer: "first",
                    neuron,
                });
            }
        }
        for tail in &self.tails {
            check_sums("hidden", &tail.hidden, &tail.hidden_bias)?;
            check_sums("last", &transposed(tail.last), &tail.last_bias)?;
            check_sums("output", &[tail.output], &[tail.output_bias])?;
        }
        Ok(())
    }
}

fn check_sums<const N: usize>(
    layer: &'static str,
    rows: &[[i16; N]],
    biases: &[i32],
) -> Result<(), NetworkError> {
    for (neuron, (row, bias)) in rows.iter().zip(biases).enumerate() {
        let most: i64 = row.iter().map(|weight| i64::from(*weight).abs()).sum();
        let most = most * i64::from(ACTIVATION_ONE) + i64::from(*bias).abs();
        if most > i64::from(i32::MAX) {
            return Err(NetworkError::Overflow { layer, neuron });
        }
    }
    Ok(())
}

/// The `N` integers of row `index`.
fn row<const N: usize>(integers: &[i32], index: usize) -> [i32; N] {
    std::array::from_fn(|at| integers[index * N + at])
}

/// Integers that are known to fit.
fn short<const N: usize>(integers: [i32; N]) -> [i16; N] {
    integers.map(|integer| integer as i16)
}

/// The `M` rows of `N` integers of bucket `index`.
fn matrix<const N: usize, const M: usize>(integers: &[i32], index: usize) -> [[i16; N]; M] {
    std::array::from_fn(|number| short(row(integers, index * M + number)))
}

impl Evaluation for Network {
    type State = Sums;

    /// The accumulators of an empty board.
    fn state(&self) -> Sums {
        Sums {
            pieces: Pieces::default(),
            views: [self.first_bias; 2],
        }
    }

    /// # Panics
    /// May panic if the position belongs to a variant with another board.
    #[inline]
    fn evaluate(&self, position: &Position, near: &Sums, state: &mut Sums) -> i32 {
        debug_assert_eq!(position.board(), self.variant.board());
        let pieces = Pieces::of(position);
        self.instructions.run(
            #[inline(always)]
            || {
                self.update(pieces, near, state);
                self.output(position, state)
            },
        )
    }
}

impl Network {
    /// Sets `state` to the accumulators of `pieces`, starting from `near` or from the empty board,
    /// whichever needs fewer updates.
    #[inline(always)]
    fn update(&self, pieces: Pieces, near: &Sums, state: &mut Sums) {
        let (mut added, mut removed) = (pieces.without(&near.pieces), near.pieces.without(&pieces));
        state.views = near.views;
        if added.count() + removed.count() > pieces.count() {
            (added, removed) = (pieces, Pieces::default());
            state.views = [self.first_bias; 2];
        }
        let board = self.variant.board();
        let views = &mut state.views;
        removed.for_each(board, |inputs| {
            for (view, input) in views.iter_mut().zip(inputs) {
                for (sum, weight) in view.0.iter_mut().zip(&self.first[input].0) {
                    *sum = sum.wrapping_sub(*weight);
                }
            }
        });
        added.for_each(board, |inputs| {
            for (view, input) in views.iter_mut().zip(inputs) {
                for (sum, weight) in view.0.iter_mut().zip(&self.first[input].0) {
                    *sum = sum.wrapping_add(*weight);
                }
            }
        });
        state.pieces = pieces;
    }

    /// The score for the side to move.
    #[inline(always)]
    fn output(&self, position: &Position, state: &Sums) -> i32 {
        let tail = &self.tails[self.shape.bucket(state.pieces.count())];
        let mover = position.turn().index();
        let mut inputs = [0_i16; 2 * WIDTH];
        let (own, other) = inputs.split_at_mut(WIDTH);
        for (half, view) in [own, other].into_iter().zip([mover, 1 - mover]) {
            for (input, sum) in half.iter_mut().zip(&state.views[view].0) {
                *input = (*sum).clamp(0, ACTIVATION_ONE as i16);
            }
        }
        let mut hidden = tail.hidden_bias;
        for (sum, row) in hidden.iter_mut().zip(&tail.hidden) {
            *sum = sum.wrapping_add(dot(&inputs, row));
        }
        let mut last = tail.last_bias;
        for (input, row) in clipped(&hidden).iter().zip(&tail.last) {
            for (sum, weight) in last.iter_mut().zip(row) {
                *sum = sum.wrapping_add(i32::from(*weight) * i32::from(*input));
            }
        }
        let output = i64::from(dot(&clipped(&last), &tail.output) + tail.output_bias);
        let score = output * i64::from(LOGIT) / (i64::from(ACTIVATION_ONE) << WEIGHT_BITS);
        score.clamp(-i64::from(MAX_EVALUATION), i64::from(MAX_EVALUATION)) as i32
    }
}

/// The activations of an accumulator.
#[inline(always)]
fn clipped<const N: usize>(sums: &[i32; N]) -> [i16; N] {
    sums.map(|sum| (sum >> WEIGHT_BITS).clamp(0, ACTIVATION_ONE) as i16)
}

/// The transposed matrix.
fn transposed<const N: usize, const M: usize>(matrix: [[i16; N]; M]) -> [[i16; M]; N] {
    std::array::from_fn(|column| std::array::from_fn(|row| matrix[row][column]))
}

/// Wrapping addition, so that the compiler vectorizes the loops. `Network::check` has ruled out
/// that a sum ever wraps.
#[inline(always)]
fn dot<const N: usize>(a: &[i16; N], b: &[i16; N]) -> i32 {
    let products = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b));
    products.fold(0, i32::wrapping_add)
}
