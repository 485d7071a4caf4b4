//! Opens the share at a URL.

use crate::gateway::{Gateway, GatewayUrl};
use crate::{Objects, Share, ShareError};

/// The share at a URL, for a machine that plays: everything that [`Objects::open`] accepts, or a
/// gateway, as `http://NAME:SECRET@HOST:PORT`, and `https://` with the feature `cloud`.
///
/// # Errors
/// If there is none, or this program cannot use it. A gateway is contacted later.
pub fn open(url: &str, variables: &[(String, String)]) -> Result<Box<dyn Share>, ShareError> {
    match GatewayUrl::parse(url) {
        Some(parts) => Ok(Box::new(Gateway::new(parts?)?)),
        None => Ok(Box::new(Objects::open(url, variables)?)),
    }
}

/// The variables of this process, which hold the credentials of buckets, for [`open`].
pub fn variables() -> Vec<(String, String)> {
    let all = std::env::vars_os();
    all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The volunteer in a gateway's URL; `None` for any other URL.
pub fn volunteer(url: &str) -> Option<&str> {
    Some(GatewayUrl::parse(url)?.ok()?.volunteer)
}

/// The name of a volunteer's machine.
pub fn machine_of(volunteer: &str, machine: &str) -> String {
    format!("{volunteer}.{machine}")
}
