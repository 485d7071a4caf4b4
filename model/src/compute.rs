//! Selection of the computing backend.

use burn::tensor::Device;

use crate::ModelError;
use crate::backend::{Backend, LearnerShape, LearnerState};
use crate::cpu::CpuLearner;
use crate::device::{self, DeviceLearner};

/// The processor or a device.
#[derive(Clone, Debug)]
pub enum Compute {
    /// The processor. Training uses rayon's threads; the result does not depend on the number of
    /// threads.
    Cpu,
    /// A device of burn.
    Device(Device),
}

impl Compute {
    /// Parses `cpu` or the name of a device as in [`device::device`].
    ///
    /// # Errors
    /// When this build lacks the device.
    pub fn named(name: &str) -> Result<Self, ModelError> {
        match name {
            "cpu" => Ok(Self::Cpu),
            name => device::device(name).map(Self::Device),
        }
    }

    /// Loads a network in training from `state`.
    pub fn load(&self, shape: LearnerShape, state: LearnerState) -> Box<dyn Backend> {
        match self {
            Self::Cpu => Box::new(CpuLearner::new(shape, state)),
            Self::Device(device) => Box::new(DeviceLearner::new(shape, &state, device)),
        }
    }
}
