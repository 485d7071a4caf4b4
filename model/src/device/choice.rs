//! The choice between the ways of convolution.

use std::time::{Duration, Instant};

use burn::tensor::Tensor;

use super::lattice::{Convolution, Lattice};
use super::network::{DeviceInference, DeviceNetwork, device_error};
use crate::{GLOBALS, ModelConfig, ModelError, ModelWeights};

/// The batches that are timed. The first one more, in which kernels are made and chosen, is not.
const BATCHES: u32 = 4;

impl DeviceInference {
    /// The faster of burn's products and our own kernel, by a measurement, if none is asked for.
    /// [`Convolution::Turned`] is not tried: choosing burn's kernels for it takes long.
    ///
    /// # Errors
    /// When the weights do not fit the configuration.
    pub(super) fn with_fastest(
        self,
        config: &ModelConfig,
        weights: &ModelWeights,
    ) -> Result<Self, ModelError> {
        let with = |convolution| Self {
            convolution: Some(convolution),
            ..self.clone()
        };
        let runs_ours = || {
            let lattice = Lattice::new(config, Convolution::Fused, &self.device);
            !matches!(lattice, Lattice::Gathered(_))
        };
        if self.convolution.is_some() || !runs_ours() {
            return Ok(self);
        }
        let [gathered, fused] = [Convolution::Gathered, Convolution::Fused].map(with);
        let burns = time(config, weights, &gathered)?;
        // A device that cannot run the kernel says so with its answer.
        let is_faster = time(config, weights, &fused).is_ok_and(|ours| ours < burns);
        Ok(if is_faster { fused } else { gathered })
    }
}

/// The time of some full batches.
fn time(
    config: &ModelConfig,
    weights: &ModelWeights,
    inference: &DeviceInference,
) -> Result<Duration, ModelError> {
    let network = DeviceNetwork::new(config, weights, inference)?;
    let (batch, device) = (inference.batch_size, &inference.device);
    let answer = || {
        let planes = Tensor::zeros([batch, config.n_squares, config.n_planes()], device);
        let (_, wdl) = network.answer(planes, Tensor::zeros([batch, GLOBALS], device));
        wdl.try_into_data().map_err(device_error)
    };
    answer()?;
    let start = Instant::now();
    for _ in 0..BATCHES {
        answer()?;
    }
    Ok(start.elapsed())
}
