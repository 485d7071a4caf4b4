//! Judges the moves of games.
//!
//! [`judge`] compares the move played with the best move: both are searched at once, to the same
//! depth, by one [`Analyzer`](engine::Analyzer). What the move cost is a difference of [expected
//! scores](expected_score), whose scale and thresholds were fitted to games of known result. A
//! [`Review`] holds the judgments of a game. [`annotated`] writes a game as PDN with marks,
//! comments and better lines; [`Report`] writes a page with graphs.

mod annotate;
mod diagram;
mod judge;
mod mark;
mod report;
mod review;

pub use annotate::{SourceGame, annotated, rewritten};
pub use judge::{Judgment, expected_score, judge};
pub use mark::Mark;
pub use report::{Report, escaped, page_head};
pub use review::{Losses, PlyReview, Review, percent};
