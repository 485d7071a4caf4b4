//! The choice between the ways of convolution.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use burn::tensor::{Device, FloatDType, Tensor};

use super::lattice::{Convolution, Lattice};
use super::network::{DeviceInference, DeviceNetwork, device_error};
use crate::{GLOBALS, ModelConfig, ModelError, ModelWeights};

/// The batches that are timed. The first one more, in which kernels are made and chosen, is not.
const BATCHES: u32 = 4;

/// The choices of this process.
static CHOICES: Choices = Choices(Mutex::new(Vec::new()));

/// A choice for each device, shape of a network and precision, whatever the size of a batch: two
/// ways differ in last bits, and all evaluators of a process should give the same answers.
struct Choices(Mutex<Vec<(Measured, Convolution)>>);

/// The conditions of a measurement.
#[derive(PartialEq)]
struct Measured {
    device: Device,
    config: ModelConfig,
    precision: FloatDType,
}

impl Choices {
    /// The choice for `asked`: the one made before, or the one that `measure` makes now. Others who
    /// ask wait for it, so no two measurements slow each other down.
    fn get(
        &self,
        asked: Measured,
        measure: impl FnOnce() -> Result<Convolution, ModelError>,
    ) -> Result<Convolution, ModelError> {
        let mut choices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, choice)) = choices.iter().find(|(measured, _)| *measured == asked) {
            return Ok(*choice);
        }
        let choice = measure()?;
        choices.push((asked, choice));
        Ok(choice)
    }
}

impl DeviceInference {
    /// The faster of burn's products and our own kernel, by the first measurement of this process,
    /// if none is asked for.
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
        let asked = Measured {
            device: self.device.clone(),
            config: config.clone(),
            precision: self.precision(),
        };
        let choice = CHOICES.get(asked, || {
            let burns = time(config, weights, &with(Convolution::Gathered))?;
            // A device that cannot run the kernel says so with its answer.
            let ours = time(config, weights, &with(Convolution::Fused));
            Ok(match ours.is_ok_and(|ours| ours < burns) {
                true => Convolution::Fused,
                false => Convolution::Gathered,
            })
        })?;
        Ok(with(choice))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use rules::Variant;

    #[test]
    fn a_choice_is_made_once_for_a_device_a_shape_and_a_precision() {
        let choices = Choices(Mutex::new(Vec::new()));
        let ask = |preset: Preset, precision, measured: Result<Convolution, ()>| {
            let asked = Measured {
                device: Device::flex(),
                config: preset.for_variant(Variant::English),
                precision,
            };
            let choice = choices.get(asked, || measured.map_err(|()| device_error("broken")));
            choice.ok()
        };
        let (ours, burns) = (Convolution::Fused, Convolution::Gathered);
        let (exact, half) = (FloatDType::F32, FloatDType::F16);
        assert_eq!(ask(Preset::Nano, exact, Err(())), None);
        assert_eq!(ask(Preset::Nano, exact, Ok(ours)), Some(ours));
        assert_eq!(ask(Preset::Nano, half, Ok(burns)), Some(burns));
        assert_eq!(ask(Preset::Small, exact, Ok(burns)), Some(burns));
        assert_eq!(ask(Preset::Nano, exact, Ok(burns)), Some(ours));
        assert_eq!(ask(Preset::Nano, half, Err(())), Some(burns));
    }
}
