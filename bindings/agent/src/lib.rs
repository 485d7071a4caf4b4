//! Rules, search and networks as one library for front ends and bindings.
//!
//! ```
//! use agent::{Agent, Game, Limits, Options, Position, Variant, legal_moves};
//!
//! let mut game = Game::new(Position::start("english".parse()?));
//! for legal in legal_moves(game.position()) {
//!     println!("{}", legal.text);
//! }
//! let mut agent = Agent::material(Variant::English, &Options::default());
//! let choice = agent.choose(&game, &Limits::nodes(1_000))?;
//! game.play(choice.mv);
//! assert_eq!(game.plies(), 1);
//! # Ok::<(), agent::Error>(())
//! ```
//!
//! [`Position`] and [`Game`] come from the rules; [`games`] reads and writes them. An [`Agent`] is
//! a network with tree search, or alpha-beta search with an evaluation, created from bytes or, with
//! the feature `players`, from files and from the built-in data of the program. [`view`] provides
//! results as text and numbers for other languages, [`environment`] many games at once for
//! reinforcement learning.
//!
//! Nothing here requires threads, files or a clock: with limits on nodes and depth, an agent
//! created from bytes works on every platform that Rust supports. A [`Control`] may provide a
//! clock.

mod agent;
pub mod environment;
mod error;
pub mod games;
mod hub;
mod limits;
mod member;
mod options;
mod pdn;
#[cfg(feature = "players")]
mod players;
mod shared;
mod source;
pub mod view;

pub use crate::agent::Agent;
pub use encoding::TextEncoding;
pub use engine::{Choice, Control, Findings, PlayerError, SearchLimits, Stopper, Variation};
pub use error::Error;
pub use games::{LegalMove, legal_moves};
pub use limits::Limits;
pub use member::{Judgment, usual_search};
pub use model::encoding::{GLOBALS, PIECE_PLANES};
pub use model::{Model, Precision};
pub use options::Options;
pub use rules::pdn::PdnError;
pub use rules::{Color, Game, Move, Outcome, Position, Variant, perft};
pub use search::{Batch, Evaluator, EvaluatorError};
pub use types::Wdl;
