//! Endgame databases as people build and ask them, and as networks are measured by them.

mod build;
mod measure;
mod probe;

pub use build::{BuildEvent, BuiltEndgames, build};
pub use measure::{EndgameExam, EndgameFigures, EndgameTest};
pub use probe::{Probed, ProbedMove};

/// Seed of the sample on which networks are measured. It is the same in all runs, so that their
/// curves can be compared.
pub const SAMPLE_SEED: u64 = 1;
/// Positions of it that a thread asks about together.
pub const BATCH_SIZE: usize = 64;
