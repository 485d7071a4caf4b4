//! Limits of what is read.

/// Bytes of a file at most, five times as many as all settings with their documentation take.
pub(crate) const MAX_BYTES: u64 = 1 << 16;
/// Keys and sections of a file at most, ten times as many as there are.
pub(crate) const MAX_KEYS: usize = 1000;
/// Layers at most that extend each other.
pub(crate) const MAX_LAYERS: usize = 16;
/// Faults that are looked for: each costs a search for what was meant.
pub(crate) const MAX_FAULTS: usize = 20;
