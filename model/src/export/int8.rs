//! Measured accuracy of weights in 8 bits.

use rand::Rng;
use rules::{Position, Variant};
use search::{Batch, Evaluator, EvaluatorError};
use serde::Serialize;

use super::onnx::is_rounded;
use super::{Calibration, GoldenPosition};
use types::softmax_f64;

use crate::agreement::Agreement;
use crate::device::device_error;
use crate::eight_bit::EightBit;
use crate::{CpuEvaluator, Model, ModelError};

/// The number of positions on which the networks are compared.
const N_POSITIONS: usize = 1000;

/// A file with weights in 8 bits, or convolutions in bytes, and its deviation from the 32-bit
/// network, measured when it was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Int8 {
    /// The file's name.
    pub file: &'static str,
    /// The file's size.
    pub bytes: usize,
    /// The share of the network's floating point operations that the file performs in bytes. The
    /// speedup depends on processor and runtime; at 0 there is none, because weights are converted
    /// to floats before use.
    pub share_in_bytes: f64,
    /// The maximum differences in the golden positions.
    pub golden: GoldenDifference,
    /// The differences in games whose moves are sampled from the policy of the 32-bit network.
    pub games: Agreement,
}

/// A file to measure.
#[derive(Clone, Copy, Debug)]
pub struct ExportFile {
    /// Its name.
    pub name: &'static str,
    /// Its size.
    pub bytes: usize,
}

/// The maximum differences in the golden positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GoldenDifference {
    /// The difference of a number in `wdl`.
    pub wdl: f32,
    /// The difference of a move's probability.
    pub probability: f32,
}

/// The model with the weights rounded as in a file of [`to_onnx_int8`](super::to_onnx_int8).
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
    /// Measures a file with the model's weights in 8 bits, or with convolutions in bytes if their
    /// calibration is given.
    ///
    /// # Errors
    /// When the weights do not fit the configuration, or the evaluator fails.
    pub fn measure(
        model: &Model,
        calibration: Option<&Calibration>,
        file: ExportFile,
        golden: &[GoldenPosition],
        rng: &mut impl Rng,
    ) -> Result<Self, ModelError> {
        let (variant, config) = (model.variant, &model.config);
        let (mut other, share_in_bytes) = match calibration {
            None => (exact(&in_eight_bits(model)?)?, 0.0),
            Some(calibration) => {
                let share = config.convolution_flops() as f64 / config.flops() as f64;
                (calibration.evaluator(), share)
            }
        };
        let mut exact = exact(model)?;
        let games = Agreement::measure(variant, &mut exact, &mut other, N_POSITIONS, rng);
        Ok(Self {
            file: file.name,
            bytes: file.bytes,
            share_in_bytes,
            golden: GoldenDifference::measure(variant, golden, &mut other).map_err(device_error)?,
            games: games.map_err(device_error)?,
        })
    }
}

fn exact(model: &Model) -> Result<CpuEvaluator, ModelError> {
    CpuEvaluator::new(model.variant, &model.config, &model.weights)
}

impl GoldenDifference {
    /// The differences of an evaluator's answers from the golden answers.
    fn measure(
        variant: Variant,
        golden: &[GoldenPosition],
        evaluator: &mut impl Evaluator,
    ) -> Result<Self, EvaluatorError> {
        let mut batch = Batch::new();
        for golden in golden {
            // Both texts were generated from a position and a move.
            let position = Position::from_fen(variant, &golden.fen).map_err(boxed)?;
            let moves = golden.moves.iter();
            let moves: Result<Vec<_>, _> =
                moves.map(|mv| position.parse_move(&mv.notation)).collect();
            batch.push(&position, golden.repetitions, &moves.map_err(boxed)?);
        }
        evaluator.evaluate(&mut batch)?;
        let (mut wdl, mut probability) = (0.0f32, 0.0f32);
        for (index, golden) in golden.iter().enumerate() {
            let (value, logits) = batch.reply(index)?;
            for (found, expected) in [value.win, value.draw, value.loss].iter().zip(&golden.wdl) {
                wdl = wdl.max((found - expected).abs());
            }
            for (found, mv) in softmax_f64(logits).into_iter().zip(&golden.moves) {
                probability = probability.max((found as f32 - mv.probability).abs());
            }
        }
        Ok(Self { wdl, probability })
    }
}

fn boxed(error: impl std::error::Error + Send + Sync + 'static) -> EvaluatorError {
    EvaluatorError::Failed(Box::new(error))
}
