//! The evaluator for processors.

use std::sync::Arc;

use rules::{Bitboard, Variant};
use search::{Batch, Evaluator, EvaluatorError, Reply, Request};
use types::Wdl;

use super::forward::{Activations, CHUNK, Run, dot};
use super::instructions::InstructionSet;
use super::int8::{ByteRange, Ranges};
use super::network::PackedNetwork;
use crate::encoding::{Features, turned};
use crate::{ModelConfig, ModelError, ModelWeights, Precision};

/// Evaluates batches on the calling thread.
///
/// It allocates nothing after construction, has no threads, and a reply depends only on its request
/// and the instruction set. Clones share the weights: create one per worker.
#[derive(Clone, Debug)]
pub struct CpuEvaluator {
    network: Arc<PackedNetwork>,
    variant: Variant,
    instructions: InstructionSet,
    activations: Activations,
}

impl CpuEvaluator {
    /// Creates an f32 evaluator with the fastest instructions of this processor.
    ///
    /// # Errors
    /// When the weights do not fit the configuration, or the configuration does not fit the
    /// variant.
    pub fn new(
        variant: Variant,
        config: &ModelConfig,
        weights: &ModelWeights,
    ) -> Result<Self, ModelError> {
        Self::with_precision(variant, config, weights, Precision::F32)
    }

    /// Creates an evaluator in this precision with the fastest instructions of this processor, or
    /// in f32 if that is faster, see [`Precision::by`].
    ///
    /// # Errors
    /// As [`CpuEvaluator::new`].
    pub fn with_precision(
        variant: Variant,
        config: &ModelConfig,
        weights: &ModelWeights,
        precision: Precision,
    ) -> Result<Self, ModelError> {
        let best = InstructionSet::best();
        Self::with_instructions(variant, config, weights, precision.by(best), best)
    }

    /// Creates an evaluator in this precision with these instructions.
    ///
    /// # Errors
    /// As [`CpuEvaluator::new`].
    pub fn with_instructions(
        variant: Variant,
        config: &ModelConfig,
        weights: &ModelWeights,
        precision: Precision,
        instructions: InstructionSet,
    ) -> Result<Self, ModelError> {
        config.check_variant(variant)?;
        let network = Arc::new(PackedNetwork::new(config, weights, precision)?);
        let activations = Activations::new(&network, instructions);
        Ok(Self {
            network,
            variant,
            instructions,
            activations,
        })
    }

    /// Starts recording the input ranges of the convolutions of an 8-bit network.
    pub(crate) fn note_ranges(&mut self) {
        self.activations.bytes.source = Ranges::Noted(Vec::new());
    }

    /// Uses the recorded ranges for all positions from now on.
    pub(crate) fn fix_ranges(&mut self) {
        self.activations.bytes.source = Ranges::Fixed(self.ranges().to_vec());
    }

    /// The recorded or fixed ranges, in the order of the convolutions.
    pub(crate) fn ranges(&self) -> &[ByteRange] {
        match &self.activations.bytes.source {
            Ranges::OfPositions => &[],
            Ranges::Noted(ranges) | Ranges::Fixed(ranges) => ranges,
        }
    }

    /// Evaluates `n_positions` requests starting with `first`.
    fn evaluate_chunk(&mut self, batch: &mut Batch, first: usize, n_positions: usize) {
        let run = Run {
            network: &self.network,
            instructions: self.instructions,
        };
        let activations = &mut self.activations;
        activations.begin_policy();
        for index in 0..n_positions {
            let request = batch.request(first + index);
            let features =
                Features::new(self.network.inputs, request.position, request.repetitions);
            activations.embed(run, index, &features);
            activations.need(run, index, move_squares(&request));
        }
        activations.run_trunk(run, n_positions);
        activations.run_value(run, n_positions);
        activations.run_policy(run);
        for index in 0..n_positions {
            let (request, reply) = batch.entry_mut(first + index);
            *reply.value = Wdl::from_logits(activations.value(index));
            score_moves(run, activations, index, &request, reply);
        }
    }
}

impl Evaluator for CpuEvaluator {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        ModelError::unless_all_of(self.variant, batch)
            .map_err(|error| EvaluatorError::Failed(Box::new(error)))?;
        for first in (0..batch.len()).step_by(CHUNK) {
            self.evaluate_chunk(batch, first, CHUNK.min(batch.len() - first));
        }
        Ok(())
    }
}

/// The origins and destinations of the moves, as seen by the side to move.
fn move_squares(request: &Request<'_>) -> Bitboard {
    let mover = request.position.turn();
    let ends = |mv: &rules::Move| turned(mv.from, mover).bit() | turned(mv.to, mover).bit();
    request
        .moves
        .iter()
        .map(ends)
        .fold(Bitboard::EMPTY, |all, squares| all | squares)
}

/// logit(move) = f\[from\] . t\[to\] / sqrt(d) + the sum of k over the captured squares.
fn score_moves(
    run: Run<'_>,
    activations: &Activations,
    index: usize,
    request: &Request<'_>,
    reply: Reply<'_>,
) {
    let (mover, dim) = (request.position.turn(), run.network.policy.dim);
    for (logit, mv) in reply.logits.iter_mut().zip(request.moves) {
        let from = activations.vectors(run, index, turned(mv.from, mover));
        let to = activations.vectors(run, index, turned(mv.to, mover));
        *logit = dot(&from[..dim], &to[dim..2 * dim]);
        for square in mv.captured {
            *logit += activations.capture(run, index, turned(square, mover));
        }
    }
}
