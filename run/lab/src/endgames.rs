//! Endgame databases: building, probing, and measuring networks with them.

mod build;
mod measure;
mod probe;

pub use build::{BuildEvent, BuiltEndgames, build};
pub use measure::{EndgameExam, EndgameFigures, EndgameTest};
pub use probe::{Probed, ProbedMove};
