//! Convolutions in bytes, with ranges calibrated on positions of games.

use rand::Rng;

use crate::agreement::positions;
use crate::cpu::ByteRange;
use crate::device::device_error;
use crate::{CpuEvaluator, InstructionSet, Model, ModelError, Precision};

/// The number of positions used for calibration.
const N_POSITIONS: usize = 1000;

/// The quantization range of each convolution's input: the union over all positions of some games.
#[derive(Debug)]
pub struct Calibration {
    evaluator: CpuEvaluator,
}

impl Calibration {
    /// Calibrates the ranges on games whose moves are sampled from the model's policy.
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
        positions(model.variant, &mut evaluator, N_POSITIONS, rng).map_err(device_error)?;
        evaluator.fix_ranges();
        Ok(Self { evaluator })
    }

    /// The network as computed by the file of [`to_onnx_qdq`](super::to_onnx_qdq), except for the
    /// last bits.
    pub fn evaluator(&self) -> CpuEvaluator {
        self.evaluator.clone()
    }

    /// The range of each convolution's input, in the order of the network.
    pub(super) fn ranges(&self) -> &[ByteRange] {
        self.evaluator.ranges()
    }
}
