//! Values and basic mathematics shared by several crates. Nothing here knows the rules of a game.
//!
//! * [`Seed`]: every random stream is derived from one seed.
//! * [`Wdl`]: probabilities of win, draw and loss.
//! * [`Strength`]: handicaps of a player and their measured ratings; [`draw`] selects a move by
//!   temperature.
//! * [`softmax`], [`entropy`], [`kl_divergence`]: distributions. Results have the same bits on
//!   every machine. Functions whose names end with `_f64` measure differences that `f32` would
//!   round away.
//! * [`parse_duration`], [`show_duration`]: durations as users write them; [`tidy`] and
//!   [`thousands`]: numbers as they read them.
//! * [`open_file`]: opens files and nothing else; [`portable_path`]: paths in files; [`printable`]:
//!   foreign text on a terminal.

mod divergence;
mod duration;
mod entropy;
mod exp;
mod files;
mod mean;
mod printable;
mod seed;
mod shell;
mod softmax;
mod strength;
mod tidy;
mod wdl;

pub use divergence::{kl_divergence, kl_divergence_f64};
pub use duration::{parse_duration, parse_limit, show_duration};
pub use entropy::entropy;
pub use exp::exp;
pub use files::{check_file, open_file, portable_path, read_at_most};
pub use mean::{Mean, mean};
pub use printable::{printable, steers};
pub use seed::Seed;
pub use shell::shell_word;
pub use softmax::{log_sum_exp, softmax, softmax_f64};
pub use strength::{Handicap, OutOfRange, RatedHandicap, Strength, UnusableStrength, draw};
pub use tidy::{thousands, tidy};
pub use wdl::Wdl;

/// The maximum number of simulations per search, wherever a user chooses it.
pub const MAX_SIMULATIONS: u32 = 65_536;
