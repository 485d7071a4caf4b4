//! From the replay window to a new checkpoint.
