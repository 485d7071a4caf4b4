//! Integer networks for inference.
//!
//! Activations are in steps of 1/255 from 0 to 1, weights of the first layer in steps of 1/255,
//! weights of later layers in steps of 1/256. Products are summed in 32 bits without rounding, so
//! results depend neither on the order of summation nor on the instruction set.

use std::ops::Range;

use alphabeta::{Evaluation, LOGIT, MAX_EVALUATION};
use rules::{Position, Variant};
use types::Strength;

use crate::error::NetworkError;
use crate::features::Pieces;
use crate::instructions::Instructions;
use crate::shape::{BUCKETS, HIDDEN, LAST, Shape, WIDTH};
use crate::weights::Weights;

/// The largest activation; also the scale of first-layer weights.
pub(crate) const ACTIVATION_ONE: i32 = 255;
/// Fractional bits of the weights of later layers.
pub(crate) const WEIGHT_BITS: u32 = 8;

/// The weights of one input, or the accumulator of one view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub(crate) struct Row(pub(crate) [i16; WIDTH]);

/// The layers after the first, for one bucket.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub(crate) struct Tail {
    pub(crate) hidden: [[i16; 2 * WIDTH]; HIDDEN],
    pub(crate) hidden_bias: [i32; HIDDEN],
    /// Stored by input rather than by neuron: with so few inputs, adding them neuron by neuron in
    /// parallel is fastest.
    pub(crate) last: [[i16; LAST]; HIDDEN],
    pub(crate) last_bias: [i32; LAST],
    pub(crate) output: [i16; LAST],
    pub(crate) output_bias: i32,
}

/// A learned evaluation of one variant.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    variant: Variant,
    shape: Shape,
    pub(crate) first: Box<[Row]>,
    pub(crate) first_bias: Row,
    pub(crate) tails: Box<[Tail]>,
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
    /// Assembles a network from its parts.
    pub(crate) fn from_parts(
        variant: Variant,
        first: Box<[Row]>,
        first_bias: Row,
        tails: Box<[Tail]>,
    ) -> Result<Network, NetworkError> {
        let network = Network {
            variant,
            shape: Shape::of(variant),
            first,
            first_bias,
            tails,
            instructions: Instructions::best(),
            strength: Strength::default(),
        };
        network.check()?;
        Ok(network)
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
        let whole = Rounding {
            values: &weights.values,
            one: f64::from(ACTIVATION_ONE),
        };
        let parts = Rounding {
            one: f64::from(1_u32 << WEIGHT_BITS),
            ..whole
        };
        let biases = Rounding {
            one: whole.one * parts.one,
            ..whole
        };
        let row = |at: usize| whole.array("first", at).map(Row);
        let n_inputs = shape.n_inputs();
        let first: Result<Box<[Row]>, _> = (0..n_inputs).map(|input| row(input * WIDTH)).collect();
        let tail = |bucket: usize| -> Result<Tail, NetworkError> {
            let rows = |start: usize, n: usize, len: usize| start + bucket * n * len;
            let hidden = rows(shape.hidden().start, HIDDEN, 2 * WIDTH);
            let last = rows(shape.last().start, LAST, HIDDEN);
            Ok(Tail {
                hidden: parts.matrix("hidden", hidden)?,
                hidden_bias: biases
                    .wide("hidden_bias", rows(shape.hidden_bias().start, HIDDEN, 1))?,
                last: transposed(parts.matrix("last", last)?),
                last_bias: biases.wide("last_bias", rows(shape.last_bias().start, LAST, 1))?,
                output: parts.array("output", rows(shape.output().start, LAST, 1))?,
                output_bias: biases.wide::<1>("output_bias", shape.output_bias().start + bucket)?
                    [0],
            })
        };
        let tails: Result<Box<[Tail]>, _> = (0..BUCKETS).map(tail).collect();
        Network::from_parts(variant, first?, row(shape.first_bias().start)?, tails?)
    }

    /// Converts to floating point; quantizing the result gives the same network again.
    pub fn to_weights(&self) -> Weights {
        let shape = self.shape;
        let whole = ACTIVATION_ONE as f32;
        let part = (1_u32 << WEIGHT_BITS) as f32;
        let mut values = vec![0.0; shape.n_weights()];
        let mut put = |tensor: Range<usize>, one: f32, integers: &mut dyn Iterator<Item = i32>| {
            for (value, integer) in values[tensor].iter_mut().zip(integers) {
                *value = integer as f32 / one;
            }
        };
        let short = |value: &i16| i32::from(*value);
        let tails = || self.tails.iter();
        put(
            shape.first(),
            whole,
            &mut self.first.iter().flat_map(|row| row.0.iter().map(short)),
        );
        put(
            shape.first_bias(),
            whole,
            &mut self.first_bias.0.iter().map(short),
        );
        put(
            shape.hidden(),
            part,
            &mut tails().flat_map(|tail| tail.hidden.as_flattened().iter().map(short)),
        );
        put(
            shape.last(),
            part,
            &mut tails().flat_map(|tail| {
                let rows = transposed(tail.last);
                rows.into_iter().flatten().map(i32::from)
            }),
        );
        put(
            shape.output(),
            part,
            &mut tails().flat_map(|tail| tail.output.iter().map(short)),
        );
        for (tensor, biases) in [
            (
                shape.hidden_bias(),
                tails()
                    .flat_map(|tail| tail.hidden_bias.to_vec())
                    .collect::<Vec<i32>>(),
            ),
            (
                shape.last_bias(),
                tails().flat_map(|tail| tail.last_bias.to_vec()).collect(),
            ),
            (
                shape.output_bias(),
                tails().map(|tail| tail.output_bias).collect(),
            ),
        ] {
            put(tensor, whole * part, &mut biases.into_iter());
        }
        Weights { shape, values }
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

    /// The accumulators of an empty board.
    pub fn empty(&self) -> Sums {
        Sums {
            pieces: Pieces::default(),
            views: [self.first_bias; 2],
        }
    }

    /// The score of a position of the network's variant, computed from scratch.
    pub fn score(&self, position: &Position) -> i32 {
        let empty = self.empty();
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

/// Rounding of weights to integers.
#[derive(Clone, Copy)]
struct Rounding<'a> {
    values: &'a [f32],
    one: f64,
}

impl Rounding<'_> {
    fn whole(&self, tensor: &'static str, at: usize, limit: f64) -> Result<i64, NetworkError> {
        let value = self.values[at];
        let scaled = (f64::from(value) * self.one).round();
        match scaled.abs() <= limit {
            true => Ok(scaled as i64),
            false => Err(NetworkError::Weight { tensor, value }),
        }
    }

    fn array<const N: usize>(
        &self,
        tensor: &'static str,
        at: usize,
    ) -> Result<[i16; N], NetworkError> {
        let mut array = [0; N];
        for (index, weight) in array.iter_mut().enumerate() {
            *weight = self.whole(tensor, at + index, f64::from(i16::MAX))? as i16;
        }
        Ok(array)
    }

    fn matrix<const N: usize, const M: usize>(
        &self,
        tensor: &'static str,
        at: usize,
    ) -> Result<[[i16; N]; M], NetworkError> {
        let mut matrix = [[0; N]; M];
        for (index, row) in matrix.iter_mut().enumerate() {
            *row = self.array(tensor, at + index * N)?;
        }
        Ok(matrix)
    }

    fn wide<const N: usize>(
        &self,
        tensor: &'static str,
        at: usize,
    ) -> Result<[i32; N], NetworkError> {
        let mut array = [0; N];
        for (index, bias) in array.iter_mut().enumerate() {
            *bias = self.whole(tensor, at + index, f64::from(i32::MAX))? as i32;
        }
        Ok(array)
    }
}

impl Evaluation for Network {
    type State = Sums;

    fn state(&self) -> Sums {
        self.empty()
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
pub(crate) fn transposed<const N: usize, const M: usize>(matrix: [[i16; N]; M]) -> [[i16; M]; N] {
    std::array::from_fn(|column| std::array::from_fn(|row| matrix[row][column]))
}

/// Wrapping addition, so that the compiler vectorizes the loops. `Network::check` has ruled out
/// that a sum ever wraps.
#[inline(always)]
fn dot<const N: usize>(a: &[i16; N], b: &[i16; N]) -> i32 {
    let products = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b));
    products.fold(0, i32::wrapping_add)
}
