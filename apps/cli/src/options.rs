//! Options that several commands share, each declared once.

mod arena;
mod config;
mod fleet;
mod game;
mod output;
mod player;
mod run;
mod threads;
mod time;
mod values;

pub(crate) use arena::{ArenaArgs, Conditions, EffortArgs, SeedArg, SimsArg, warn_of_load};
pub(crate) use config::{ConfigArgs, PresetArgs, choose_device};
pub(crate) use fleet::FleetArgs;
pub(crate) use game::{EncodingOption, GameArg, GameOption};
pub(crate) use output::{EndgamesArg, ToArg};
pub(crate) use player::PartnerArgs;
pub(crate) use run::{RunArg, RunAtArg, RunPlace, RunsArg};
pub(crate) use threads::ThreadsArg;
pub(crate) use time::ForArg;
pub(crate) use values::{number_in, one_of, pairs};
