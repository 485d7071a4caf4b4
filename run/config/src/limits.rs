//! Limits on the input.

/// Maximum size of a file in bytes, five times the size of all settings with their documentation.
pub(crate) const MAX_BYTES: u64 = 1 << 16;
/// Maximum number of keys and sections in a file, ten times the existing number.
pub(crate) const MAX_KEYS: usize = 1000;
/// Maximum number of layers that extend each other.
pub(crate) const MAX_LAYERS: usize = 16;
/// Maximum number of reported faults: each needs a search for similar names.
pub(crate) const MAX_FAULTS: usize = 20;
