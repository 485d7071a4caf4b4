//! Devices by name.

use burn::tensor::Device;

use crate::ModelError;

/// Names of burn's devices in this build. `wgpu` and `cuda` are cargo features.
pub const DEVICES: &[&str] = &[
    "flex",
    #[cfg(feature = "wgpu")]
    "wgpu",
    #[cfg(feature = "cuda")]
    "cuda",
];

/// The device with this name: `flex` is the processor, `wgpu` the best GPU through Vulkan, Metal or
/// DirectX, `cuda` the first NVIDIA GPU.
///
/// # Errors
/// [`ModelError::UnknownDevice`] when this build lacks the device, [`ModelError::NoDevice`] when
/// this machine lacks it.
pub fn device(name: &str) -> Result<Device, ModelError> {
    match name {
        "flex" => Ok(Device::flex()),
        #[cfg(feature = "wgpu")]
        "wgpu" => wgpu(),
        #[cfg(feature = "cuda")]
        "cuda" => cuda(),
        _ => Err(ModelError::UnknownDevice {
            name: name.to_owned(),
            known: DEVICES.join(", "),
        }),
    }
}

/// Opens the best GPU. burn would open it with the first tensor, and panic if there is none.
#[cfg(feature = "wgpu")]
fn wgpu() -> Result<Device, ModelError> {
    use std::sync::OnceLock;
    /// burn can open a device only once per process.
    static OPENED: OnceLock<Result<Device, String>> = OnceLock::new();
    let open = || {
        Device::wgpu_options()
            .init()
            .map_err(|error| error.to_string())
    };
    let opened = OPENED.get_or_init(open).clone();
    opened.map_err(|message| ModelError::NoDevice {
        name: "wgpu".to_owned(),
        message,
    })
}

/// Finds the first NVIDIA GPU. burn would panic at the first tensor if the driver is missing.
#[cfg(feature = "cuda")]
fn cuda() -> Result<Device, ModelError> {
    let mut found = Device::enumerate(burn::tensor::DeviceType::Cuda).into_iter();
    found.next().ok_or_else(|| ModelError::NoDevice {
        name: "cuda".to_owned(),
        message: "NVIDIA's driver is not installed or sees no GPU".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_device_is_known() {
        for name in DEVICES {
            let device = device(name);
            let known = matches!(device, Ok(_) | Err(ModelError::NoDevice { .. }));
            assert!(known, "{name}: {device:?}");
        }
        let error = device("tpu").unwrap_err().to_string();
        assert!(
            error.contains("`tpu`") && error.contains("--features wgpu"),
            "{error}"
        );
    }
}
