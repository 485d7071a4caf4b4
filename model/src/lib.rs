//! The network, its encodings, checkpoints and CPU inference.
