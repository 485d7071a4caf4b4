//! Endgame databases as people build and ask them, and as networks are measured by them.

mod build;
mod measure;
mod probe;

pub use build::{BuildEvent, BuiltEndgames, build};
pub use measure::{EndgameExam, EndgameFigures, EndgameTest};
pub use probe::{Probed, ProbedMove};
