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
/// [`ModelError::UnknownDevice`] when this build has no such device, [`ModelError::NoDevice`] when
/// this machine has none.
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

/// The best GPU. It is opened here: burn would open it with the first tensor, and panic there when the
/// machine has none.
#[cfg(feature = "wgpu")]
fn wgpu() -> Result<Device, ModelError> {
    use std::sync::OnceLock;
    /// burn opens a device once in a process.
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

/// The first GPU of NVIDIA. It is looked for here: burn would panic at the first tensor when the driver
/// is missing.
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
        assert!(error.contains("`tpu`") && error.contains("flex"), "{error}");
    }
}
