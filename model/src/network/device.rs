//! Devices by name.

use burn::tensor::Device;

use crate::ModelError;

/// Names of the devices of burn that this build knows. `wgpu` and `cuda` are cargo features.
pub const DEVICES: &[&str] = &[
    "flex",
    #[cfg(feature = "wgpu")]
    "wgpu",
    #[cfg(feature = "cuda")]
    "cuda",
];

/// The device of this name: `flex` is the processor, `wgpu` the best GPU through Vulkan, Metal or
/// DirectX, `cuda` the first one of NVIDIA.
///
/// # Errors
/// [`ModelError::UnknownDevice`] when this build has no such device.
pub fn device(name: &str) -> Result<Device, ModelError> {
    match name {
        "flex" => Ok(Device::flex()),
        #[cfg(feature = "wgpu")]
        "wgpu" => Ok(Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Device::cuda(burn::tensor::DeviceIndex::Default)),
        _ => Err(ModelError::UnknownDevice {
            name: name.to_owned(),
            known: DEVICES.join(", "),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_device_exists() {
        for name in DEVICES {
            assert!(device(name).is_ok(), "{name}");
        }
        let error = device("tpu").unwrap_err().to_string();
        assert!(error.contains("`tpu`") && error.contains("flex"), "{error}");
    }
}
