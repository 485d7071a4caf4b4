//! Learned evaluations for alpha-beta search.
//!
//! A [`Network`] is a small network of integers whose first layer is updated move by move, in the manner
//! that Nasu gave to shogi ("Efficiently updatable neural-network-based evaluation functions", 2018): one
//! input for each piece on each square, seen from both sides; [`WIDTH`] sums a side that change by few rows
//! a move; then three small layers, one set of weights for each quarter of the game. It judges positions for
//! [`alphabeta::AlphaBetaSearch`] and knows nothing of files beyond their bytes.
//!
//! [`Weights`] are the same network in floating point, as training makes it.

mod error;
mod features;
mod file;
mod instructions;
mod manifest;
mod network;
mod shape;
mod weights;

pub use error::NetworkError;
pub use features::Pieces;
pub use file::MAX_FILE_BYTES;
pub use instructions::Instructions;
pub use manifest::Manifest;
pub use network::{Network, Sums};
pub use shape::{BUCKETS, HIDDEN, KINDS, LAST, Shape, WIDTH};
pub use weights::Weights;
