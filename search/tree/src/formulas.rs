//! The formulas of the search, one pure function each. Tests compare them with numbers computed by
//! hand or by DeepMind's `mctx` 0.0.71 ("mctx").

mod dirichlet;
#[cfg(test)]
pub(crate) mod edges;
mod gumbel;
mod halving;
mod improved_policy;
mod interior;
mod mixed_value;
mod puct;
mod reliability;
mod sigma;

pub(crate) use dirichlet::dirichlet;
pub(crate) use gumbel::gumbel;
pub(crate) use halving::{phase_rounds, survivors_after};
pub(crate) use improved_policy::{completed_scores, improved_policy};
pub(crate) use interior::most_underplayed;
pub(crate) use mixed_value::mixed_value;
pub(crate) use puct::{Weights, first_play_urgency, upper_bound};
pub(crate) use reliability::reliability;
pub(crate) use sigma::sigma_scale;
