//! Tree search over the rules, guided by an evaluator.
//!
//! A [`Search`] searches one position. It is a state machine that requests one evaluation at a
//! time, so that many games can share the batches of one [`Evaluator`], as in [`search_all`]. An
//! evaluator maps a position to a [`types::Wdl`] and one logit per legal move; the search knows
//! nothing else about networks.
//!
//! Moves are selected by Gumbel AlphaZero or by PUCT ([`Mode`]). Finished games and positions that
//! lead to them by force have exact values: see [`Proof`]. A [`Prover`] adds results from other
//! sources, such as endgame databases.

mod backup;
mod batch;
mod cache;
mod config;
mod crew;
mod error;
mod evaluator;
mod flight;
mod formulas;
mod halving;
mod known;
mod lockstep;
mod node_id;
mod opening;
mod prefetch;
mod proof;
mod root;
mod search;
mod select;
mod shared;
mod tree;

pub use batch::{Batch, Reply, Request};
pub use cache::Cached;
pub use config::{Mode, SearchConfig};
pub use crew::Crew;
pub use error::EvaluatorError;
pub use evaluator::{Evaluator, Uniform};
pub use flight::Flight;
pub use lockstep::search_all;
pub use opening::random_opening;
pub use proof::{Proof, Prover};
pub use search::{RankedMove, Search, SearchResult, Stop};
pub use shared::SharedEvaluator;
