//! Dimensions of the networks.

use std::ops::Range;

use rules::Variant;

/// Neurons of the first layer per view.
pub const WIDTH: usize = 128;
/// Neurons of the second layer.
pub const HIDDEN: usize = 16;
/// Neurons of the third layer.
pub const LAST: usize = 32;
/// Sets of weights after the first layer, chosen by the number of pieces on the board.
pub const BUCKETS: usize = 4;
/// Kinds of input: own men, own kings, enemy men, enemy kings.
pub const KINDS: usize = 4;

/// The dimensions of a variant's network, and the offset of each tensor in its weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Dark squares of the board.
    pub n_squares: usize,
    /// Pieces in the start position.
    pub n_pieces: usize,
}

impl Shape {
    /// The dimensions for a variant.
    pub fn of(variant: Variant) -> Shape {
        Shape {
            n_squares: variant.board().n_squares(),
            n_pieces: 2 * variant.rules().black_start.count() as usize,
        }
    }

    /// The number of inputs of the first layer.
    pub const fn n_inputs(&self) -> usize {
        KINDS * self.n_squares
    }

    /// The bucket for a number of pieces: a quarter of the initial number each, fewest first.
    #[inline]
    pub const fn bucket(&self, n_pieces: usize) -> usize {
        let quarter = (n_pieces.saturating_sub(1)) * BUCKETS / self.n_pieces;
        if quarter < BUCKETS {
            quarter
        } else {
            BUCKETS - 1
        }
    }

    /// The total number of weights.
    pub const fn n_weights(&self) -> usize {
        self.output_bias().end
    }

    /// \[input\]\[[`WIDTH`]\]
    pub const fn first(&self) -> Range<usize> {
        0..self.n_inputs() * WIDTH
    }

    /// \[[`WIDTH`]\]
    pub const fn first_bias(&self) -> Range<usize> {
        after(self.first(), WIDTH)
    }

    /// \[bucket\]\[[`HIDDEN`]\]\[2 [`WIDTH`]\]: the mover's view first.
    pub const fn hidden(&self) -> Range<usize> {
        after(self.first_bias(), BUCKETS * HIDDEN * 2 * WIDTH)
    }

    /// \[bucket\]\[[`HIDDEN`]\]
    pub const fn hidden_bias(&self) -> Range<usize> {
        after(self.hidden(), BUCKETS * HIDDEN)
    }

    /// \[bucket\]\[[`LAST`]\]\[[`HIDDEN`]\]
    pub const fn last(&self) -> Range<usize> {
        after(self.hidden_bias(), BUCKETS * LAST * HIDDEN)
    }

    /// \[bucket\]\[[`LAST`]\]
    pub const fn last_bias(&self) -> Range<usize> {
        after(self.last(), BUCKETS * LAST)
    }

    /// \[bucket\]\[[`LAST`]\]
    pub const fn output(&self) -> Range<usize> {
        after(self.last_bias(), BUCKETS * LAST)
    }

    /// \[bucket\]
    pub const fn output_bias(&self) -> Range<usize> {
        after(self.output(), BUCKETS)
    }
}

const fn after(range: Range<usize>, len: usize) -> Range<usize> {
    range.end..range.end + len
}
