//! Errors of training.

use std::path::PathBuf;

use model::ModelError;
use store::StoreError;

/// The reason why training stopped, or its state could not be saved or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// Invalid settings. The text lists every fault.
    #[error("the training configuration is invalid: {faults}")]
    Config {
        /// Every fault, separated by semicolons.
        faults: String,
    },
    /// Too many consecutive steps had a non-finite loss or gradient.
    #[error(
        "training has diverged: {skipped} steps in a row up to step {step} gave numbers that are not finite; \
         lower learning_rate or gradient_clip and resume from an earlier model"
    )]
    Diverged {
        /// The last of these steps.
        step: u64,
        /// Their number.
        skipped: u64,
    },
    /// The batch has no samples.
    #[error("the batch of step {step} is empty: the replay window has no samples")]
    EmptyBatch {
        /// The step.
        step: u64,
    },
    /// A sample does not fit the network or is damaged.
    #[error("the position {fen} cannot be trained on: {fault}")]
    Sample {
        /// The position.
        fen: String,
        /// The fault.
        fault: String,
    },
    /// An error of the network.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A state file could not be written.
    #[error("failed to access {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A state file could not be read, is damaged or belongs to another run.
    #[error("training cannot be resumed: {0}")]
    Store(#[from] StoreError),
    /// A state file is damaged or belongs to another network.
    #[error("training cannot be resumed from {}: {fault}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: String,
    },
}
