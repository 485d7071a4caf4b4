//! Convolutions in bytes, in ranges that were found on positions of games.

use rand::Rng;

use super::int8::failed;
use crate::agreement::positions;
use crate::cpu::ByteRange;
use crate::{CpuEvaluator, InstructionSet, Model, ModelError, Precision};

/// Positions of games in which the ranges are found.
const N_POSITIONS: usize = 1000;

/// What the bytes that convolutions read stand for: one range for each, that of all positions of some games.
#[derive(Debug)]
pub struct Calibration {
    evaluator: CpuEvaluator,
}

impl Calibration {
    /// Finds the ranges in games in which the model's policy draws the moves.
    ///
    /// # Errors
    /// When the weights do not fit the configuration, or the evaluator fails.
    pub fn of_games(model: &Model, rng: &mut impl Rng) -> Result<Self, ModelError> {
        let mut evaluator = CpuEvaluator::with_instructions(
            model.variant,
            &model.config,
            &model.weights,
            Precision::Int8,
            InstructionSet::best(),
        )?;
        evaluator.note_ranges();
        positions(model.variant, &mut evaluator, N_POSITIONS, rng).map_err(failed)?;
        evaluator.fix_ranges();
        Ok(Self { evaluator })
    }

    /// The network as the file of [`to_onnx_qdq`](super::to_onnx_qdq) computes it, but for the last bits.
    pub fn evaluator(&self) -> CpuEvaluator {
        self.evaluator.clone()
    }

    /// The range of each convolution's input, in the order of the network.
    pub(super) fn ranges(&self) -> &[ByteRange] {
        self.evaluator.ranges()
    }
}
