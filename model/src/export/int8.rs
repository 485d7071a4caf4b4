//! What weights in 8 bits cost in accuracy.

use rand::Rng;
use serde::Serialize;

use super::GoldenPosition;
use super::golden::golden_positions;
use super::onnx::is_rounded;
use crate::agreement::Agreement;
use crate::eight_bit::EightBit;
use crate::{CpuEvaluator, Model, ModelError};

/// Positions of games that the networks are compared on.
const N_POSITIONS: usize = 1000;

/// A file with weights in 8 bits, and how close its network comes to the one in 32 bits, as it was
/// measured when it was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Int8 {
    /// The file's name.
    pub file: &'static str,
    /// The file's size.
    pub bytes: usize,
    /// Greatest differences in the golden positions.
    pub golden: GoldenDifference,
    /// Differences in games in which the policy of the network in 32 bits draws the moves.
    pub games: Agreement,
}

/// Greatest differences in the golden positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GoldenDifference {
    /// Of a number in `wdl`.
    pub wdl: f32,
    /// Of the probability of a move.
    pub probability: f32,
}

/// The model with the numbers that its weights have in a file of
/// [`to_onnx_int8`](super::to_onnx_int8).
///
/// # Errors
/// When the weights do not fit the configuration.
pub fn in_eight_bits(model: &Model) -> Result<Model, ModelError> {
    let mut rounded = model.clone();
    let tensors = model.config.tensors();
    for tensor in tensors.into_iter().filter(is_rounded) {
        let values = model.weights.values(&tensor.name, &tensor.shape)?;
        let values = EightBit::round(values, tensor.shape[1]).to_f32();
        rounded.weights.insert(tensor.name, tensor.shape, values);
    }
    Ok(rounded)
}

impl Int8 {
    /// Measures a model whose weights are rounded for a file of this name and size. `golden` are the
    /// positions that [`golden_positions`] found with a generator that was like `rng`.
    ///
    /// # Errors
    /// When the weights do not fit the configuration, or the device fails.
    pub fn measure(
        model: &Model,
        file: &'static str,
        bytes: usize,
        golden: &[GoldenPosition],
        rng: &mut impl Rng,
    ) -> Result<Self, ModelError> {
        let rounded = in_eight_bits(model)?;
        let golden = GoldenDifference::new(golden, &golden_positions(&rounded, rng)?);
        let evaluator =
            |model: &Model| CpuEvaluator::new(model.variant, &model.config, &model.weights);
        let (mut exact, mut other) = (evaluator(model)?, evaluator(&rounded)?);
        let games = Agreement::measure(model.variant, &mut exact, &mut other, N_POSITIONS, rng)
            .map_err(|error| ModelError::Device {
                message: error.to_string(),
            })?;
        Ok(Self {
            file,
            bytes,
            golden,
            games,
        })
    }
}

impl GoldenDifference {
    fn new(expected: &[GoldenPosition], found: &[GoldenPosition]) -> Self {
        let pairs = || expected.iter().zip(found);
        let wdl = pairs().flat_map(|(a, b)| a.wdl.iter().zip(&b.wdl).map(|(a, b)| a - b));
        let probability = pairs().flat_map(|(a, b)| {
            let moves = a.moves.iter().zip(&b.moves);
            moves.map(|(a, b)| a.probability - b.probability)
        });
        let greatest = |max: f32, difference: f32| max.max(difference.abs());
        Self {
            wdl: wdl.fold(0.0, greatest),
            probability: probability.fold(0.0, greatest),
        }
    }
}
