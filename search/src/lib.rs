//! Tree search over the rules, guided by an evaluator.
//!
//! A [`Search`] looks at one position. It is a state machine: it asks for one evaluation at a time,
//! so that many games can share the batches of one [`Evaluator`] ([`search_all`] does just that).
//! What it knows of networks is that trait: a position goes out, a [`Wdl`] and one logit per legal
//! move come back.
//!
//! Moves are selected by Gumbel AlphaZero or by PUCT ([`Mode`]). Finished games and what follows
//! from them are exact: see [`Proof`]. A [`Prover`] may know more results than the rules tell.

mod backup;
mod batch;
mod cache;
mod config;
mod dump;
mod evaluator;
mod formulas;
mod halving;
mod lockstep;
mod proof;
mod result;
mod root;
mod search;
mod select;
mod shared;
mod tree;
mod wdl;

pub use batch::{Batch, Reply, Request};
pub use cache::Cached;
pub use config::{GumbelConfig, Mode, PuctConfig, RootNoise, SearchConfig};
pub use evaluator::{Evaluator, EvaluatorError, Uniform};
pub use lockstep::search_all;
pub use proof::{Proof, Prover};
pub use result::{SearchResult, Stop};
pub use search::{Search, Step};
pub use shared::SharedEvaluator;
pub use wdl::Wdl;
