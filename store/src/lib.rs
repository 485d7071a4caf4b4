//! Everything on disk: run directories, game records, the replay window, metrics.
