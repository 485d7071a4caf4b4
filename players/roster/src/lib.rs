//! Named players: one grammar, one registry, one way to load them.
//!
//! A [`PlayerSpec`] is a player as written, such as `run:runs/english@42,sims=16`. Loading it reads
//! its files and gives a [`LoadedPlayer`], which knows its games, creates players for matches
//! ([`LoadedPlayer::factory`]) and analyzers ([`LoadedPlayer::analyzer`]), and has a form from
//! which other machines can create it ([`Portable`]).
//!
//! Every kind of player is one file in `kinds/` and one row of the table in `kinds.rs`; nothing
//! else names a kind.
//!
//! ```
//! use roster::{Effort, PlayerSpec};
//! use rules::Variant;
//!
//! let spec: PlayerSpec = "ab:bundled,nodes=2000".parse()?;
//! let player = spec.load()?;
//! assert!(player.games.contains(&Variant::English));
//! let side = player.factory(Variant::English, &Effort::USUAL)?;
//! assert_eq!(side.name, "ab:bundled,nodes=2000");
//! # Ok::<(), roster::RosterError>(())
//! ```

mod adjustable;
mod agent_source;
mod book;
pub mod endgames;
mod error;
mod evaluations;
mod kinds;
mod loaded;
mod models;
mod node_cap;
mod options;
mod partner;
mod per_variant;
mod portable;
mod restore;
mod search_options;
mod second_opinion;
mod spec;

pub use adjustable::AdjustableAnalyzer;
pub use agent_source::AgentSource;
pub use error::{EvaluationError, RequestError, Result, RosterError};
pub use evaluations::{EvaluationSource, bundled_variants as bundled_evaluations, read_evaluation};
pub use kinds::{PlayerKind, forms};
pub use loaded::LoadedPlayer;
pub use models::{LoadedModel, ModelSource, bundled_variants as bundled_networks, is_same_place};
pub use options::{Effort, OwnResources};
pub use partner::PartnerGame;
pub use portable::{Portable, PortableKind};
pub use second_opinion::SecondOpinion;
pub use spec::{PlayerSpec, load_all, load_factories};
