//! What one training step learns from, as plain numbers.

use std::ops::Range;

use ndarray::{Array2, Array3};

use crate::encoding::MoveTokens;
use crate::{HeadId, PerHead};

/// Samples as the network sees them, and what its heads are to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainBatch {
    /// `[sample, square, plane]`
    pub planes: Array3<f32>,
    /// `[sample, global]`
    pub globals: Array2<f32>,
    /// Legal moves, one sample after the other.
    pub moves: Vec<MoveTokens>,
    /// `[sample]` index behind its last move.
    pub ends: Vec<usize>,
    /// What each head learns.
    pub targets: PerHead<HeadTarget>,
}

/// What one head learns from a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadTarget {
    /// Of a head of moves, a probability for each of the batch's moves; of one of the board, `[sample,
    /// output]`. Zeros where there is no target.
    pub values: Vec<f32>,
    /// `[sample]` whether it has a target; empty where the head is not trained.
    pub present: Vec<bool>,
}

impl HeadTarget {
    /// 1 / number of targets, or 0 without any: what each of them counts for.
    pub fn share(&self) -> f64 {
        let n_targets = self.present.iter().filter(|&&present| present).count();
        if n_targets > 0 {
            1.0 / n_targets as f64
        } else {
            0.0
        }
    }

    /// Of a head of the board, the target of a sample.
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

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where the moves of a sample are.
    pub fn moves_of(&self, sample: usize) -> Range<usize> {
        let start = sample.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[sample]
    }

    /// The heads that are trained.
    pub fn heads(&self) -> impl Iterator<Item = HeadId> {
        HeadId::all().filter(|&head| !self.targets[head].present.is_empty())
    }
}
