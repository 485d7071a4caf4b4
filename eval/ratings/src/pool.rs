//! Ratings of a pool of players by maximum likelihood over all their games.
//!
//! The model is BayesElo's (R. Coulom): with L(x) = 1 / (1 + 10^(-x/400)), rating difference d,
//! first-move advantage a and draw Elo D,
//! P(first wins) = L(d + a - D), P(second wins) = L(-d - a - D), and the rest is a draw.
//! Ratings, a and D are fitted jointly; the intervals come from the joint covariance.
//! Numbers are on the model's own scale: BayesElo's program multiplies by a factor below 1 when
//! draws are frequent, Ordo by 1.0088. [`DrawModel::Davidson`] is the other model.

mod components;
mod fit;
mod likelihood;
mod prior;
mod rate;
mod table;

pub use likelihood::DrawModel;
pub use rate::{RatingFit, rate};
pub use table::{Component, PlayerRating, RatingOptions, RatingTable, USUAL_PRIOR};
