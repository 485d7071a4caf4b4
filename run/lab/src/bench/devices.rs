//! Choice of the fastest device.

use std::fmt;
use std::time::Duration;

use model::ModelError;
use model::device::DEVICES;
use rules::Variant;

use super::Bench;
use crate::{Result, RunError};
use run::config::{AUTO, Resolved, RunConfig};

/// Duration of a device's measurement, after it has compiled its kernels.
const TIME: Duration = Duration::from_secs(1);

/// The speed of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceRate {
    /// Its name in settings.
    pub device: &'static str,
    /// Evaluations per second with full batches.
    pub evaluations_per_s: f64,
}

impl fmt::Display for DeviceRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:.0}", self.device, self.evaluations_per_s)
    }
}

/// Replaces `device = "auto"` by the device that makes the most evaluations a second with these
/// settings. Returns the speed of each device of this build and machine, fastest first; nothing if
/// the settings name a device.
///
/// # Errors
/// If a network cannot be computed.
pub fn choose_device(variant: Variant, settings: &mut Resolved) -> Result<Vec<DeviceRate>> {
    let mut rates = Vec::new();
    if settings.config.device != AUTO {
        return Ok(rates);
    }
    // burn on the processor is for comparisons.
    let gpus = DEVICES.iter().filter(|&&device| device != "flex");
    for &device in std::iter::once(&"cpu").chain(gpus) {
        let config = RunConfig {
            device: device.to_owned(),
            ..settings.config.clone()
        };
        let bench = match Bench::new(variant, config, TIME) {
            Err(RunError::Model(ModelError::NoDevice { .. })) => continue,
            bench => bench?,
        };
        rates.push(DeviceRate {
            device,
            evaluations_per_s: bench.evaluations(bench.threads)?,
        });
    }
    rates.sort_by(|a, b| b.evaluations_per_s.total_cmp(&a.evaluations_per_s));
    settings.set_device(rates[0].device);
    Ok(rates)
}

#[cfg(test)]
mod tests {
    use run::config::ConfigSources;

    use super::*;

    #[test]
    fn a_device_is_measured_and_chosen() {
        let variant = Variant::ALL[0];
        let resolved = |device: &str| {
            let sources = ConfigSources {
                preset: Some("tiny".to_owned()),
                set: vec![format!("device={device}"), "threads=1".to_owned()],
                ..ConfigSources::default()
            };
            sources.resolve(variant).unwrap()
        };
        let mut settings = resolved(AUTO);
        let rates = choose_device(variant, &mut settings).unwrap();
        assert!(rates.iter().any(|rate| rate.device == "cpu"), "{rates:?}");
        assert!(rates.is_sorted_by(|a, b| a.evaluations_per_s >= b.evaluations_per_s));
        assert_eq!(settings.config.device, rates[0].device);
        let setting = settings.setting("device").unwrap();
        assert_eq!(setting.value.as_str(), Some(rates[0].device));
        assert_eq!(choose_device(variant, &mut resolved("flex")).unwrap(), []);
    }
}
