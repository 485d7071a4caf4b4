//! The evaluator for GPUs and other devices of burn.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Device, Int, Tensor, TensorData, Transaction};
use rayon::prelude::*;
use rules::Variant;
use search::{Batch, Evaluator, EvaluatorError};
use types::Wdl;

use super::clock::DeviceClock;
use super::network::{DeviceInference, DeviceNetwork, device_error};
use super::packed::{PackedInputs, ROWS_A_THREAD};
use crate::encoding::move_tokens;
use crate::{ModelConfig, ModelError, ModelWeights};

/// The number of moves per position that are scored together; a position with more takes several
/// rounds.
const MOVES: usize = 32;

/// Evaluates batches on a device of burn.
///
/// The device always computes the same number of positions and moves, so that a reply never depends
/// on the rest of the batch: with other sizes a GPU may change the order of summation.
///
/// Clones share the weights. While one waits for its answers, another one prepares the next batch.
#[derive(Clone)]
pub struct BurnEvaluator {
    network: DeviceNetwork,
    config: ModelConfig,
    variant: Variant,
    device: Device,
    /// The number of positions that the device computes together.
    batch_size: usize,
    clock: Arc<DeviceClock>,
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
        assert!(inference.batch_size > 0, "a batch must hold a position");
        config.check_variant(variant)?;
        weights.check(config)?;
        let inference = DeviceInference {
            device: inference.device.without_autodiff(),
            ..inference
        };
        let inference = inference.with_fastest(config, weights)?;
        Ok(Self {
            network: DeviceNetwork::new(config, weights, &inference)?,
            config: config.clone(),
            variant,
            device: inference.device,
            batch_size: inference.batch_size,
            clock: Arc::default(),
        })
    }

    /// The clock of this evaluator and all its clones.
    pub fn clock(&self) -> Arc<DeviceClock> {
        Arc::clone(&self.clock)
    }

    /// Evaluates a chunk of requests on the device.
    fn ask(&self, batch: &Batch, chunk: Range<usize>) -> Result<Answer, ModelError> {
        let inputs = PackedInputs::new(batch, chunk.clone(), self.batch_size, &self.config);
        let requests = chunk.clone().map(|index| batch.request(index));
        let n_moves = requests.map(|request| request.moves.len()).max();
        let n_rounds = n_moves.unwrap_or(0).div_ceil(MOVES);
        let pairs = (0..n_rounds).map(|round| self.pairs(batch, chunk.clone(), round));
        let pairs: Vec<_> = pairs.collect();
        self.clock
            .during(chunk.len(), || self.compute(inputs, pairs))
    }

    fn compute(&self, inputs: PackedInputs, pairs: Vec<TensorData>) -> Result<Answer, ModelError> {
        let (planes, globals) = inputs.unpack(&self.device);
        let (policy, wdl) = self.network.answer(planes, globals);
        let mut transaction = Transaction::default()
            .register(wdl)
            .register(policy.captured.clone());
        for pairs in pairs {
            let pairs = Tensor::<2, Int>::from_data(pairs, &self.device);
            transaction = transaction.register(policy.scores(pairs));
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
    fn pairs(&self, batch: &Batch, chunk: Range<usize>, round: usize) -> TensorData {
        let mut pairs = vec![0i32; self.batch_size * MOVES];
        let rows = pairs.par_chunks_exact_mut(MOVES).zip(chunk);
        rows.with_min_len(ROWS_A_THREAD).for_each(|(pairs, index)| {
            let request = batch.request(index);
            let moves = request.moves.iter().skip(round * MOVES);
            for (pair, &mv) in pairs.iter_mut().zip(moves) {
                let tokens = move_tokens(request.position, mv);
                *pair = (tokens.from * self.config.n_squares + tokens.to) as i32;
            }
        });
        TensorData::new(pairs, [self.batch_size, MOVES])
    }
}

impl Evaluator for BurnEvaluator {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        let fail = |error: ModelError| EvaluatorError::Failed(Box::new(error));
        ModelError::unless_all_of(self.variant, batch).map_err(fail)?;
        let n_squares = self.config.n_squares;
        for first in (0..batch.len()).step_by(self.batch_size) {
            let chunk = first..batch.len().min(first + self.batch_size);
            let answer = self.ask(batch, chunk.clone()).map_err(fail)?;
            for position in 0..chunk.len() {
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
