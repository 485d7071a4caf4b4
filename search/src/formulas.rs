//! The formulas of the search: one pure function each, tested against numbers computed by hand or by
//! DeepMind's `mctx` 0.0.71 ("mctx").

mod dirichlet;
mod divergence;
#[cfg(test)]
pub(crate) mod edges;
mod exp;
mod gumbel;
mod halving;
mod improved_policy;
mod interior;
mod mixed_value;
mod puct;
mod reliability;
mod sigma;
mod softmax;

pub(crate) use dirichlet::dirichlet;
pub use divergence::kl_divergence;
pub(crate) use exp::exp;
pub(crate) use gumbel::gumbel;
pub(crate) use halving::{phase_rounds, survivors_after};
pub(crate) use improved_policy::{completed_scores, improved_policy};
pub(crate) use interior::most_underplayed;
pub(crate) use mixed_value::mixed_value;
pub(crate) use puct::{Weights, first_play_urgency, upper_bound};
pub(crate) use reliability::reliability;
pub(crate) use sigma::sigma_scale;
pub(crate) use softmax::log_sum_exp;
pub use softmax::softmax;
