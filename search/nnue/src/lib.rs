//! Learned evaluations for alpha-beta search.
//!
//! A [`Network`] is a small integer network whose first layer is updated incrementally, as Nasu
//! introduced for shogi ("Efficiently updatable neural-network-based evaluation functions", 2018):
//! one input per piece and square, seen from both sides; [`WIDTH`] sums per side, updated by the
//! few rows that a move changes; then three small layers, with one set of weights per quarter of
//! the game. It evaluates positions for [`alphabeta::AlphaBetaSearch`]. The crate reads and writes
//! bytes, never files.
//!
//! [`Weights`] are the same network in floating point, as used in training.

mod error;
mod features;
mod file;
mod instructions;
mod manifest;
mod network;
mod shape;
mod tensors;
mod weights;

pub use error::NetworkError;
pub use features::Pieces;
pub use file::MAX_FILE_BYTES;
pub use instructions::Instructions;
pub use manifest::Manifest;
pub use network::{Network, Sums};
pub use shape::{BUCKETS, HIDDEN, KINDS, LAST, Shape, WIDTH};
pub use weights::Weights;
