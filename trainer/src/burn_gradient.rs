//! Losses and gradients by burn's autodiff: the way on a GPU, the reference for the CPU's own.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Bool, Device, Tensor, TensorData};
use model::network::{MoveIndices, Network, PolicyOutput};
use model::{GLOBALS, ModelConfig, PLANES, Weights};

use crate::batch::TrainBatch;
use crate::loss::{self, Losses};
use crate::{TrainConfig, TrainError};

/// Losses of the network with these weights on a batch, and the gradient of their weighted sum.
/// The auxiliary heads are trained if `weights` has them.
pub(crate) fn gradient(
    model: &ModelConfig,
    weights: &Weights,
    batch: &TrainBatch,
    config: &TrainConfig,
    device: &Device,
) -> Result<(Losses, Weights), TrainError> {
    let device = device.clone().autodiff();
    let network = Network::new(model, weights, &device)?;
    let planes = upload(
        [batch.len(), model.n_squares, PLANES],
        &batch.planes,
        &device,
    );
    let globals = upload([batch.len(), GLOBALS], &batch.globals, &device);
    let heads = network.forward(planes, globals);

    let targets = Targets::new(model, batch, &device);
    let policy = targets.policy_loss(&heads.policy, &batch.policy);
    let value_loss = |logits: Tensor<2>, target: &[f32]| {
        let n_horizons = logits.dims()[1] / 3;
        let shape = [batch.len(), n_horizons, 3];
        let target = upload(shape, target, &device);
        (log_softmax(logits.reshape(shape), 2) * target).sum() / -(batch.len() as f32)
    };
    let value = value_loss(heads.wdl.clone(), batch.value.as_flattened());
    let mut total = policy.clone() + value.clone() * config.value_weight;
    let mut losses = Losses {
        policy: read(&policy),
        value: read(&value),
        value_accuracy: accuracy(heads.wdl, batch),
        ..Losses::default()
    };
    losses.policy_divergence = losses.policy - target_entropy(batch);
    if let Some(soft_policy) = &heads.soft_policy {
        let soft = targets.policy_loss(soft_policy, &softened(batch));
        losses.soft_policy = read(&soft);
        total = total + soft * config.soft_policy_weight;
    }
    if let Some(logits) = &heads.short_value {
        let short = value_loss(logits.clone(), batch.short_value.as_flattened());
        losses.short_value = read(&short);
        total = total + short * config.short_value_weight;
    }
    Ok((losses, network.gradients(&total.backward())?))
}

/// The moves of a batch, padded to the longest list.
struct Targets<'a> {
    batch: &'a TrainBatch,
    moves: MoveIndices,
    padding: Tensor<2, Bool>, // [batch, moves]
    n_moves: usize,
    device: &'a Device,
}

impl<'a> Targets<'a> {
    fn new(model: &ModelConfig, batch: &'a TrainBatch, device: &'a Device) -> Self {
        let n_squares = model.n_squares;
        let lengths = (0..batch.len()).map(|sample| batch.moves_of(sample).len());
        let n_moves = lengths.max().unwrap_or(0);
        let n_rows = batch.len() * n_moves;
        let (mut pairs, mut captured) = (vec![0; n_rows], vec![0.0; n_rows * n_squares]);
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
        let shape = [batch.len(), n_moves, n_squares];
        let padding = TensorData::new(padding, [batch.len(), n_moves]);
        Self {
            batch,
            moves: MoveIndices::new(shape, pairs, captured, device),
            padding: Tensor::from_data(padding, device),
            n_moves,
            device,
        }
    }

    /// Mean cross-entropy with `target`, one number for each of the batch's moves, over the
    /// samples that have a target.
    fn policy_loss(&self, output: &PolicyOutput, target: &[f32]) -> Tensor<1> {
        let mut padded = vec![0.0; self.batch.len() * self.n_moves];
        for sample in 0..self.batch.len() {
            let moves = &target[self.batch.moves_of(sample)];
            padded[sample * self.n_moves..][..moves.len()].copy_from_slice(moves);
        }
        let target = upload([self.batch.len(), self.n_moves], &padded, self.device);
        // Far below every real logit, yet finite: 0 times infinity is not a number.
        let logits = output
            .logits(&self.moves)
            .mask_fill(self.padding.clone(), -1e9);
        (log_softmax(logits, 1) * target).sum() / -(self.batch.n_policies().max(1) as f32)
    }
}

fn upload<const D: usize>(shape: [usize; D], values: &[f32], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}

fn read(loss: &Tensor<1>) -> f64 {
    f64::from(loss.clone().inner().into_scalar::<f32>())
}

/// Mean entropy of the policy targets.
fn target_entropy(batch: &TrainBatch) -> f64 {
    let sum: f64 = (0..batch.len())
        .map(|sample| loss::entropy(&batch.policy[batch.moves_of(sample)]))
        .sum();
    sum / batch.n_policies().max(1) as f64
}

/// The batch's policy targets softened; zeros stay where there is no target.
fn softened(batch: &TrainBatch) -> Vec<f32> {
    let mut soft = vec![0.0; batch.policy.len()];
    for sample in (0..batch.len()).filter(|&sample| batch.has_policy[sample]) {
        let moves = batch.moves_of(sample);
        loss::soften(&batch.policy[moves.clone()], &mut soft[moves]);
    }
    soft
}

fn accuracy(wdl: Tensor<2>, batch: &TrainBatch) -> f64 {
    let logits = wdl.inner().into_data();
    let logits = logits.iter::<f32>().collect::<Vec<_>>();
    let hits = logits
        .chunks_exact(3)
        .zip(&batch.value)
        .filter(|(logits, target)| loss::most_likely(logits) == loss::most_likely(&target[..]));
    hits.count() as f64 / batch.len() as f64
}
