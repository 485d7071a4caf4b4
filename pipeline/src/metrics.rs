//! The curves of a run: a struct for each stage, whose fields are the curves.
//!
//! A struct is made with a literal that names every field, so that a curve which nobody fills does
//! not compile. [`MetricsLog`] writes them to `metrics.jsonl` and to TensorBoard.

mod log;
mod selfplay;
mod tensorboard;
mod train;
mod validation;

use std::borrow::Cow;
use std::collections::BTreeMap;

use eval::{EndgameScore, GateReport};
use serde::{Deserialize, Serialize};

use crate::RatingPoint;

pub use log::MetricsLog;
pub(crate) use selfplay::Generation;
pub(crate) use train::StepSums;
pub(crate) use validation::validate;

/// Tag and value of one curve at one moment; no value where there is nothing to say.
pub(crate) type Curve = (Cow<'static, str>, Option<f64>);

/// What can be a point of one curve, or of several whose tags begin with `tag`.
trait Value {
    fn add(&self, tag: &'static str, curves: &mut Vec<Curve>);
}

impl Value for Option<f64> {
    fn add(&self, tag: &'static str, curves: &mut Vec<Curve>) {
        curves.push((tag.into(), self.filter(|value| value.is_finite())));
    }
}

impl Value for f64 {
    fn add(&self, tag: &'static str, curves: &mut Vec<Curve>) {
        Some(*self).add(tag, curves);
    }
}

impl Value for u64 {
    fn add(&self, tag: &'static str, curves: &mut Vec<Curve>) {
        (*self as f64).add(tag, curves);
    }
}

impl Value for BTreeMap<String, f64> {
    fn add(&self, tag: &'static str, curves: &mut Vec<Curve>) {
        let finite = |value: &f64| Some(*value).filter(|value| value.is_finite());
        curves.extend(
            self.iter()
                .map(|(name, value)| (format!("{tag}/{name}").into(), finite(value))),
        );
    }
}

/// Declares a struct of curves: documentation, name, type and tag of each.
macro_rules! curves {
    ($($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty = $tag:literal,)*
    })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(default)]
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

            impl $name {
                /// The tags of all curves, in the order of the fields. TensorBoard groups them by the
                /// part before the slash.
                pub const TAGS: &[&str] = &[$($tag),*];

                pub(crate) fn curves(&self) -> Vec<Curve> {
                    let mut curves = Vec::new();
                    $(self.$field.add($tag, &mut curves);)*
                    curves
                }
            }
        )*

        #[cfg(test)]
        const ALL_TAGS: &[&[&str]] = &[$($name::TAGS),*];
    };
}

curves! {
    /// The games of a generation.
    SelfplayMetrics {
        /// Finished games a second.
        games_per_s: f64 = "selfplay/games_per_s",
        /// Positions a second.
        positions_per_s: f64 = "selfplay/positions_per_s",
        /// Network evaluations a second.
        evaluations_per_s: f64 = "selfplay/evaluations_per_s",
        /// Share of the workers' time inside the network, 0 to 1.
        network_share: f64 = "selfplay/network_share",
        /// Positions of an evaluator's batch by its largest possible size, 0 to 1.
        batch_fill: f64 = "selfplay/batch_fill",
        /// Share of drawn games, 0 to 1.
        draw_rate: f64 = "selfplay/draw_rate",
        /// Plies of a game, on average.
        mean_plies: f64 = "selfplay/game_length",
        /// Games that the cap on their length cut off.
        truncated: u64 = "selfplay/truncated",
        /// Points of the side that moves first in a finished game, on average, 0 to 1.
        first_player_score: Option<f64> = "selfplay/first_player_score",
        /// Share of games whose moves are those of an earlier game of the generation, 0 to 1.
        duplicate_rate: f64 = "selfplay/duplicate_rate",
        /// Simulations of a move that was searched, on average.
        simulations: f64 = "selfplay/simulations",
        /// Entropy of the policy targets, in nats.
        target_entropy: Option<f64> = "selfplay/target_entropy",
        /// Divergence of the policy targets from the policy of the network that played, in nats: what
        /// search adds. Every target counts once; batches draw the surprising ones more often.
        search_gain: Option<f64> = "selfplay/search_gain",
    }

    /// The optimiser steps of a generation. Losses and norms are means over the steps that were made.
    TrainMetrics {
        /// Steps, with the skipped ones.
        steps: u64 = "train/steps",
        /// Steps that changed nothing, because a number was not finite.
        skipped: u64 = "train/skipped",
        /// Share of the steps whose gradient was shortened, 0 to 1.
        clipped_share: f64 = "train/clipped_share",
        /// Length of the gradient before it was shortened.
        gradient_norm: f64 = "train/gradient_norm",
        /// The last step's learning rate.
        learning_rate: f64 = "train/learning_rate",
        /// Training samples a second.
        samples_per_s: f64 = "train/samples_per_s",
        /// Divergence of the network's policy from its targets in nats, as batches draw them: the part
        /// of the policy's loss that learning can take away.
        policy_divergence: f64 = "train/policy_kl",
        /// Entropy of the policy targets in nats, as batches draw them: the other part.
        target_entropy: f64 = "train/target_entropy",
        /// Share of samples whose most likely result is also the target's, 0 to 1.
        value_accuracy: f64 = "train/value_accuracy",
        /// Samples in the replay window.
        window_samples: u64 = "train/window_samples",
        /// Generations between the window's samples and the newest one, on average.
        window_age: f64 = "train/window_age",
        /// Loss of each head by its name, in nats and unweighted, and `total`, their weighted sum.
        losses: BTreeMap<String, f64> = "loss",
    }

    /// What the network that played the newest games makes of positions of these games, which it has
    /// not learnt from, and of positions of the whole window, most of which it has. The gap between
    /// the losses is over-fitting. Each position counts once for each time that it is drawn, as in training.
    Validation {
        /// Cross-entropy of the policy in fresh positions, in nats.
        fresh_policy: Option<f64> = "validation/fresh_policy",
        /// The same in the window.
        window_policy: Option<f64> = "validation/window_policy",
        /// Cross-entropy of win, draw and loss with the result in fresh positions, in nats.
        fresh_value: Option<f64> = "validation/fresh_value",
        /// The same in the window.
        window_value: Option<f64> = "validation/window_value",
        /// Divergence of the policy from the target in fresh positions, in nats.
        fresh_policy_kl: Option<f64> = "validation/fresh_policy_kl",
        /// Share of fresh positions where the network's favourite move is the target's, 0 to 1.
        fresh_policy_accuracy: Option<f64> = "validation/fresh_policy_accuracy",
        /// Entropy of the network's policy in fresh positions, in nats.
        policy_entropy: Option<f64> = "validation/policy_entropy",
        /// Entropy of the policy targets of the same positions, in nats.
        target_entropy: Option<f64> = "validation/target_entropy",
    }

    /// The gate of a generation.
    GateMetrics {
        /// Points of the candidate against the champion, 0 to 1.
        score: f64 = "gate/score",
        /// Log-likelihood ratio of the gate's test.
        llr: f64 = "gate/llr",
        /// Pairs of games that it took.
        pairs: u64 = "gate/pairs",
    }

    /// A rating of the champion.
    RatingMetrics {
        /// Elo above the player `random`.
        elo: f64 = "rating/elo",
        /// Lower end of its 95 % interval.
        low: f64 = "rating/elo_low",
        /// Upper end of its 95 % interval.
        high: f64 = "rating/elo_high",
    }

    /// The newest model on positions of an endgame database.
    EndgameMetrics {
        /// Mean distance of the network's value from the truth, 0 to 2.
        value_error: f64 = "endgame/value_error",
        /// Share of chances where the network's favourite move throws away a win or a draw, 0 to 1.
        blunders: f64 = "endgame/blunders",
        /// The value error after a search.
        search_value_error: f64 = "endgame/search_value_error",
        /// The blunders after a search.
        search_blunders: f64 = "endgame/search_blunders",
    }
}

impl TrainMetrics {
    /// The loss of the head of that name in nats; 0 where there is no such head.
    #[must_use]
    pub fn loss(&self, head: &str) -> f64 {
        self.losses.get(head).copied().unwrap_or(0.0)
    }
}

impl GateMetrics {
    pub(crate) fn new(report: &GateReport) -> GateMetrics {
        GateMetrics {
            score: report.games.score(),
            llr: report.llr,
            pairs: report.pairs,
        }
    }
}

impl RatingMetrics {
    pub(crate) fn new(point: &RatingPoint) -> RatingMetrics {
        let (elo, interval) = (point.elo, point.interval());
        RatingMetrics {
            elo,
            low: elo - interval,
            high: elo + interval,
        }
    }
}

impl EndgameMetrics {
    pub(crate) fn new(score: &EndgameScore) -> EndgameMetrics {
        EndgameMetrics {
            value_error: score.network.value_error,
            blunders: score.network.blunders,
            search_value_error: score.search.value_error,
            search_blunders: score.search.blunders,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tags_are_unique_and_grouped() {
        let tags: Vec<&str> = ALL_TAGS
            .iter()
            .flat_map(|tags| tags.iter().copied())
            .collect();
        let unique: BTreeSet<&str> = tags.iter().copied().collect();
        assert_eq!(tags.len(), unique.len());
        for tag in tags.into_iter().filter(|tag| *tag != "loss") {
            assert_eq!(tag.split('/').count(), 2, "{tag}");
        }
    }

    #[test]
    fn what_is_not_finite_has_no_value() {
        let metrics = TrainMetrics {
            gradient_norm: f64::NAN,
            losses: [("policy".to_owned(), 1.5)].into(),
            ..TrainMetrics::default()
        };
        let curves = metrics.curves();
        let value = |tag: &str| curves.iter().find(|(found, _)| found == tag).unwrap().1;
        assert_eq!(value("train/gradient_norm"), None);
        assert_eq!(value("loss/policy"), Some(1.5));
    }
}
