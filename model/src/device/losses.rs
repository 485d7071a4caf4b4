//! Losses on a device.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};

use super::heads::{HeadOutput, PolicyOutput};
use crate::batch::{HeadTarget, TrainBatch};
use crate::loss;
use crate::{HeadId, PerHead};

/// Lists of moves are padded to a multiple of this, so that few distinct tensor sizes occur.
const MOVES: usize = 8;

/// The losses of a batch on the device, not yet read.
pub(super) struct DeviceLosses {
    /// The weighted sum of the losses, for the backward pass: `[1]`.
    pub(super) total: Tensor<1>,
    /// `[head]` losses without autodiff; 0 for a head that is not trained.
    pub(super) heads: Tensor<1>,
    /// `[1]` the share of samples whose most likely result is also the target's.
    pub(super) value_accuracy: Tensor<1>,
}

/// A batch with inputs and targets on a device.
pub(super) struct Uploaded<'a> {
    batch: &'a TrainBatch,
    device: &'a Device,
    /// `from * squares + to` as tokens, `[batch, moves]`; 0 in padding.
    pairs: Tensor<2, Int>,
    /// 1 at captured squares' tokens, `[batch, moves, squares]`.
    captured: Tensor<3>,
    /// `[batch, moves]`
    padding: Tensor<2, Bool>,
    n_moves: usize,
}

impl<'a> Uploaded<'a> {
    pub(super) fn new(batch: &'a TrainBatch, device: &'a Device) -> Self {
        let n_squares = batch.planes.dim().1;
        let lengths = (0..batch.len()).map(|sample| batch.moves_of(sample).len());
        let n_moves = lengths.max().unwrap_or(0).next_multiple_of(MOVES);
        let n_rows = batch.len() * n_moves;
        let (mut pairs, mut captured) = (vec![0i32; n_rows], vec![0.0; n_rows * n_squares]);
        let mut padding = vec![true; n_rows];
        for sample in 0..batch.len() {
            for (index, mv) in batch.moves[batch.moves_of(sample)].iter().enumerate() {
                let row = sample * n_moves + index;
                padding[row] = false;
                pairs[row] = (mv.from * n_squares + mv.to) as i32;
                for token in mv.captured() {
                    captured[row * n_squares + token] = 1.0;
                }
            }
        }
        let shape = [batch.len(), n_moves];
        let captured = TensorData::new(captured, [batch.len(), n_moves, n_squares]);
        Self {
            batch,
            device,
            pairs: Tensor::from_data(TensorData::new(pairs, shape), device),
            captured: Tensor::from_data(captured, device),
            padding: Tensor::from_data(TensorData::new(padding, shape), device),
            n_moves,
        }
    }

    /// Planes `[batch, squares, planes]` and globals `[batch, globals]`.
    pub(super) fn inputs(&self) -> (Tensor<3>, Tensor<2>) {
        let (planes, globals) = (&self.batch.planes, &self.batch.globals);
        let (n_samples, n_squares, n_planes) = planes.dim();
        (
            self.upload([n_samples, n_squares, n_planes], planes.iter()),
            self.upload([n_samples, globals.dim().1], globals.iter()),
        )
    }

    /// The losses of these outputs.
    pub(super) fn losses(
        &self,
        outputs: PerHead<Option<HeadOutput>>,
        loss_weights: &PerHead<f32>,
    ) -> DeviceLosses {
        let zero = || Tensor::<1>::zeros([1], self.device);
        let (mut total, mut accuracy) = (zero(), zero().inner());
        let mut heads = Vec::new();
        for (head, output) in outputs.into_pairs() {
            let target = &self.batch.targets[head];
            let Some(output) = output.filter(|_| !target.present.is_empty()) else {
                heads.push(zero().inner());
                continue;
            };
            if let (HeadId::VALUE, HeadOutput::Board(logits)) = (head, &output) {
                accuracy = self.accuracy(logits.clone().inner(), target);
            }
            let loss = match output {
                HeadOutput::Squares(output) => self.moves(&PolicyOutput::new(output), target),
                HeadOutput::Board(logits) => self.results(logits, target),
            };
            let loss = loss * target.share() as f32;
            heads.push(loss.clone().inner());
            total = total + loss * loss_weights[head];
        }
        DeviceLosses {
            total,
            heads: Tensor::cat(heads, 0),
            value_accuracy: accuracy,
        }
    }

    /// Cross-entropy over the legal moves, summed over the samples.
    fn moves(&self, output: &PolicyOutput, target: &HeadTarget) -> Tensor<1> {
        let mut padded = vec![0.0; self.batch.len() * self.n_moves];
        for sample in 0..self.batch.len() {
            let moves = &target.values[self.batch.moves_of(sample)];
            padded[sample * self.n_moves..][..moves.len()].copy_from_slice(moves);
        }
        let target = self.upload([self.batch.len(), self.n_moves], &padded);
        let captures = self.captured.clone().matmul(output.captured.clone()); // [batch, moves, 1]
        let logits = output.scores(self.pairs.clone()) + captures.squeeze_dim(2);
        // Far below every real logit, yet finite: 0 times infinity would be NaN.
        let logits = logits.mask_fill(self.padding.clone(), -1e9);
        (log_softmax(logits, 1) * target).sum().neg()
    }

    /// Cross-entropy of win, draw and loss, summed over the samples.
    fn results(&self, logits: Tensor<2>, target: &HeadTarget) -> Tensor<1> {
        let target = self.upload([self.batch.len(), 3], &target.values);
        (log_softmax(logits, 1) * target).sum().neg()
    }

    fn accuracy(&self, logits: Tensor<2>, target: &HeadTarget) -> Tensor<1> {
        let best = (0..self.batch.len()).map(|sample| loss::most_likely(target.of(sample)) as i32);
        let best = TensorData::new(best.collect::<Vec<_>>(), [self.batch.len(), 1]);
        let best = Tensor::<2, Int>::from_data(best, &logits.device());
        logits.argmax(1).equal(best).float().mean()
    }

    fn upload<'v, const D: usize>(
        &self,
        shape: [usize; D],
        values: impl IntoIterator<Item = &'v f32>,
    ) -> Tensor<D> {
        let values: Vec<f32> = values.into_iter().copied().collect();
        Tensor::from_data(TensorData::new(values, shape), self.device)
    }
}

/// The mean entropy of the policy targets: the part of the cross-entropy that training cannot
/// reduce.
pub(super) fn target_entropy(batch: &TrainBatch) -> f64 {
    let target = &batch.targets[HeadId::POLICY];
    let entropies =
        (0..batch.len()).map(|sample| types::entropy(&target.values[batch.moves_of(sample)]));
    target.share() * entropies.sum::<f64>()
}
