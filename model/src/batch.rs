//! The input of one training step, as plain numbers.

use std::ops::Range;

use ndarray::{Array2, Array3};

use crate::encoding::MoveTokens;
use crate::{HeadId, PerHead};

/// Encoded samples and the targets of all heads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainBatch {
    /// `[sample, square, plane]`
    pub planes: Array3<f32>,
    /// `[sample, global]`
    pub globals: Array2<f32>,
    /// The legal moves of all samples, concatenated.
    pub moves: Vec<MoveTokens>,
    /// `[sample]` the end of its moves.
    pub ends: Vec<usize>,
    /// The targets of each head.
    pub targets: PerHead<HeadTarget>,
}

/// The targets of one head for a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadTarget {
    /// For a head of moves, a probability for each of the batch's moves; for a head of the board,
    /// `[sample, output]`. Zeros without a target.
    pub values: Vec<f32>,
    /// `[sample]` true if it has a target; empty if the head is not trained.
    pub present: Vec<bool>,
}

impl HeadTarget {
    /// 1 / number of targets, or 0 without targets: the weight of each one.
    pub fn share(&self) -> f64 {
        let n_targets = self.present.iter().filter(|&&present| present).count();
        if n_targets > 0 {
            1.0 / n_targets as f64
        } else {
            0.0
        }
    }

    /// The target of a sample, for a head of the board.
    pub fn of(&self, sample: usize) -> &[f32] {
        let width = self.values.len() / self.present.len();
        &self.values[sample * width..][..width]
    }
}

impl TrainBatch {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no samples.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The range of a sample's moves.
    pub fn moves_of(&self, sample: usize) -> Range<usize> {
        let start = sample.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[sample]
    }

    /// The heads that are trained.
    pub fn heads(&self) -> impl Iterator<Item = HeadId> {
        HeadId::all().filter(|&head| !self.targets[head].present.is_empty())
    }
}
