//! The evaluator for GPUs and other devices of burn.

use burn::tensor::{Device, FloatDType, Int, Tensor, TensorData, Transaction};
use rules::Variant;
use search::{Batch, Evaluator, EvaluatorError, Request};
use types::Wdl;

use super::network::{DeviceNetwork, device_error};
use super::packed::PackedInputs;
use crate::encoding::{Features, move_tokens};
use crate::{ModelConfig, ModelError, ModelWeights, Precision};

/// The number of moves per position that are scored together; a position with more takes several
/// rounds.
const MOVES: usize = 32;

/// Evaluates batches on a device of burn.
///
/// The device always computes the same number of positions and moves, so that a reply never depends
/// on the rest of the batch: with other sizes a GPU may change the order of summation.
pub struct BurnEvaluator {
    network: DeviceNetwork,
    config: ModelConfig,
    variant: Variant,
    device: Device,
    /// The number of positions that the device computes together.
    batch_size: usize,
}

/// Settings of inference on a device.
#[derive(Clone, Debug)]
pub struct DeviceInference {
    /// The device.
    pub device: Device,
    /// The precision if the device supports it; otherwise f32 is used.
    pub precision: Precision,
    /// The number of positions that the device computes together.
    pub batch_size: usize,
}

/// The outputs for a chunk.
struct Answer {
    /// `[position][3]` logits of win, draw and loss.
    wdl: Vec<f32>,
    /// `[position][square]` logits of captures.
    captured: Vec<f32>,
    /// `[round][position][move]` logits without the part for captures.
    scores: Vec<Vec<f32>>,
}

impl BurnEvaluator {
    /// Creates an evaluator on a device.
    ///
    /// # Errors
    /// When the weights do not fit the configuration, or the configuration does not fit the
    /// variant.
    ///
    /// # Panics
    /// If the batch size is 0.
    pub fn new(
        variant: Variant,
        config: &ModelConfig,
        weights: &ModelWeights,
        inference: DeviceInference,
    ) -> Result<Self, ModelError> {
        let DeviceInference {
            device,
            precision,
            batch_size,
        } = inference;
        assert!(batch_size > 0, "a batch must hold a position");
        config.check_variant(variant)?;
        weights.check(config)?;
        let device = device.without_autodiff();
        let network = DeviceNetwork::new(config, weights, &device)?;
        let halve = precision == Precision::F16 && device.supports_dtype(FloatDType::F16);
        Ok(Self {
            network: if halve { network.halved() } else { network },
            config: config.clone(),
            variant,
            device,
            batch_size,
        })
    }

    /// Evaluates the chunk of requests starting with `first` on the device.
    fn ask(&self, batch: &Batch, first: usize) -> Result<Answer, ModelError> {
        let mut inputs = PackedInputs::new(self.batch_size, &self.config);
        let mut n_rounds = 0;
        for index in 0..self.batch_size.min(batch.len() - first) {
            let Request {
                position,
                repetitions,
                moves,
            } = batch.request(first + index);
            let features = Features::new(self.config.inputs, position, repetitions);
            inputs.set(index, position.board(), &features);
            n_rounds = n_rounds.max(moves.len().div_ceil(MOVES));
        }
        let (planes, globals) = inputs.unpack(&self.device);
        let (policy, wdl) = self.network.answer(planes, globals);
        let scores = (0..n_rounds).map(|round| policy.scores(self.pairs(batch, first, round)));
        let mut transaction = Transaction::default()
            .register(wdl)
            .register(policy.captured.clone());
        for scores in scores {
            transaction = transaction.register(scores);
        }
        let data = transaction.try_execute().map_err(device_error)?;
        let values = |data: TensorData| data.try_into_vec_as::<f32>().map_err(device_error);
        let mut data = data.into_iter().map(values);
        let mut next = || data.next().expect("the transaction has read every tensor");
        Ok(Answer {
            wdl: next()?,
            captured: next()?,
            scores: data.collect::<Result<_, _>>()?,
        })
    }

    /// `from * squares + to` of a round's moves, `[position, move]`; 0 in padding.
    fn pairs(&self, batch: &Batch, first: usize, round: usize) -> Tensor<2, Int> {
        let mut pairs = vec![0i32; self.batch_size * MOVES];
        for (index, pairs) in (first..batch.len()).zip(pairs.chunks_exact_mut(MOVES)) {
            let request = batch.request(index);
            let moves = request.moves.iter().skip(round * MOVES);
            for (pair, &mv) in pairs.iter_mut().zip(moves) {
                let tokens = move_tokens(request.position, mv);
                *pair = (tokens.from * self.config.n_squares + tokens.to) as i32;
            }
        }
        let pairs = TensorData::new(pairs, [self.batch_size, MOVES]);
        Tensor::from_data(pairs, &self.device)
    }
}

impl Evaluator for BurnEvaluator {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let fail = |error: ModelError| EvaluatorError::Failed(Box::new(error));
        ModelError::unless_all_of(self.variant, batch).map_err(fail)?;
        let n_squares = self.config.n_squares;
        for first in (0..batch.len()).step_by(self.batch_size) {
            let answer = self.ask(batch, first).map_err(fail)?;
            for position in 0..self.batch_size.min(batch.len() - first) {
                let (request, reply) = batch.entry_mut(first + position);
                let captured = &answer.captured[position * n_squares..][..n_squares];
                *reply.value =
                    Wdl::from_logits([0, 1, 2].map(|index| answer.wdl[3 * position + index]));
                for (index, (logit, &mv)) in reply.logits.iter_mut().zip(request.moves).enumerate()
                {
                    let score = answer.scores[index / MOVES][position * MOVES + index % MOVES];
                    let tokens = move_tokens(request.position, mv);
                    let captures = tokens.captured().map(|token| captured[token]);
                    *logit = score + captures.sum::<f32>();
                }
            }
        }
        Ok(())
    }
}
