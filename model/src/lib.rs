//! The network: encodings, weights by name, checkpoints, and inference.
//!
//! ```
//! use model::{CpuEvaluator, Preset, ModelWeights};
//! use rand::SeedableRng;
//! use rules::{Position, Variant};
//! use search::{Batch, Evaluator};
//!
//! let config = Preset::Nano.for_variant(Variant::English);
//! let weights = ModelWeights::initial(&config, &mut rand_chacha::ChaCha8Rng::seed_from_u64(1));
//! let mut evaluator = CpuEvaluator::new(Variant::English, &config, &weights)?;
//!
//! let start = Position::start(Variant::English);
//! let mut batch = Batch::new();
//! let index = batch.push(&start, 0, &start.legal_moves());
//! evaluator.evaluate(&mut batch)?;
//! assert_eq!(batch.logits(index).len(), 7);
//! assert!(batch.wdl(index).is_finite());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`graph`] defines the computation and [`heads`] the outputs; names, shapes, initial values and
//! the work of every backend are derived from them. Two implementations run the same
//! [`ModelWeights`]: burn ([`device`]) uses GPUs, [`cpu`] is fast on a processor. They agree to
//! 1e-4; `tests/suite/parity.rs` compares them with each other and with a plain implementation of
//! the definition. [`Precision::Int8`] is several times faster still and less precise;
//! `benches/precision.rs` measures the deviation for any model.
//!
//! # The network
//!
//! Only the S dark squares exist (32 or 50), each with C channels. [`encoding`] defines the inputs;
//! the board is rotated so that the side to move plays up. Tensors have the names of
//! [`ModelConfig::tensors`]; a matrix is `[inputs, outputs]`, row major.
//!
//! ```text
//! x[s] = relu(planes[s] . input.weight + input.position[s] + globals . input.global + input.bias)
//! for every block:
//!     y = relu(conv1(x))
//!     every second block:  y[s] += [mean over squares of y, maximum over squares of y] . pool.weight
//!     x = relu(x + conv2(y))
//! conv(x)[s] = bias + the channels of the T taps of s, one after the other . weight
//! taps: s, up-left, up-right, down-left, down-right; if T = 9 also the dark squares two steps
//!       left, right, up, down; a square beyond the edge has zeros
//! value: h = relu(x . value.square) of all squares, one after the other
//!        softmax(relu(h . value.hidden) . value.out) = win, draw, loss of the mover
//! ```
//!
//! # Scoring moves
//!
//! `policy.weight` and `policy.bias` give every square `2 d + 1` numbers: a vector f as the origin
//! of a move, a vector t as its destination, and a number k as the square of a captured piece.
//!
//! ```text
//! logit(move) = f[from] . t[to] / sqrt(d) + sum of k[c] over the captured squares c
//! ```
//!
//! The softmax of the logits of all legal moves is the policy. No table of moves is needed, and two
//! captures with the same origin and destination differ in k. Squares are tokens: numbered from 0
//! in reading order on the rotated board, so with Black to move square n of N is token N - n, with
//! White n - 1 ([`encoding::move_tokens`]). In any language:
//!
//! ```
//! /// `f` and `t` are [S][d], `k` is [S].
//! fn logit(f: &[Vec<f32>], t: &[Vec<f32>], k: &[f32], from: usize, to: usize, captured: &[usize]) -> f32 {
//!     let product: f32 = f[from].iter().zip(&t[to]).map(|(f, t)| f * t).sum();
//!     let captures: f32 = captured.iter().map(|&c| k[c]).sum();
//!     product / (f[from].len() as f32).sqrt() + captures
//! }
//! # assert_eq!(logit(&[vec![2.0; 4]], &[vec![3.0; 4]], &[0.5], 0, 0, &[0]), 12.5);
//! ```

#![cfg_attr(
    not(feature = "train"),
    expect(
        dead_code,
        reason = "some helpers are used only by training and export"
    )
)]

#[cfg(feature = "train")]
mod agreement;
#[cfg(feature = "train")]
pub mod backend;
#[cfg(feature = "train")]
pub mod batch;
mod checkpoint;
#[cfg(feature = "train")]
mod compute;
mod config;
pub mod cpu;
#[cfg(feature = "train")]
pub mod device;
mod eight_bit;
pub mod encoding;
mod error;
#[cfg(feature = "train")]
pub mod export;
pub mod graph;
pub mod heads;
#[cfg(feature = "train")]
mod loss;
mod optimizer;
mod precision;
pub mod shape;
mod taps;
pub mod tensor;
mod tensor_file;
mod transfer;
mod weights;

#[cfg(feature = "train")]
pub use agreement::{Agreement, Difference};
pub use checkpoint::{Model, ModelInfo, ModelMeta};
#[cfg(feature = "train")]
pub use compute::Compute;
pub use config::{ModelConfig, Preset};
pub use cpu::{CpuEvaluator, InstructionSet};
pub use encoding::{GLOBALS, Inputs, PLANES};
pub use error::{ModelError, TensorFileError};
pub use heads::{HeadId, NetworkHeads, PerHead};
#[cfg(feature = "train")]
pub use loss::Losses;
pub use optimizer::Optimizer;
pub use precision::{Precision, StepPrecision};
pub use weights::{Array, ModelWeights};
