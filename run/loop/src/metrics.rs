//! The curves of a run: a struct for each stage, whose fields are the curves.
//!
//! A struct is made with a literal that names every field, so that a curve without a value does not
//! compile. Readers name a curve by the [`Tag`] that its struct declares.
//! [`MetricsLog`](crate::MetricsLog) writes them to `metrics.jsonl` and to TensorBoard.

mod cost;
mod selfplay;
mod train;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use eval::{EndgameScore, GateReport};
use serde::{Deserialize, Serialize};
use store::LoopState;

pub use cost::StageCost;
pub(crate) use selfplay::Generation;
pub(crate) use train::StepSums;

/// The name of a curve in `metrics.jsonl` and TensorBoard, which groups curves by the part before
/// the slash. Only the structs of this module declare tags, so that no reader asks for a curve that
/// nothing writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Tag(&'static str);

impl Tag {
    /// The name as text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Name and value of one curve at one moment; no value if it is unknown or not finite.
pub(crate) type Curve = (Cow<'static, str>, Option<f64>);

/// A point of one curve, or of several whose names begin with `tag`.
trait Value {
    fn add(&self, tag: Tag, curves: &mut Vec<Curve>);
}

impl Value for Option<f64> {
    fn add(&self, tag: Tag, curves: &mut Vec<Curve>) {
        curves.push((tag.0.into(), self.filter(|value| value.is_finite())));
    }
}

impl Value for f64 {
    fn add(&self, tag: Tag, curves: &mut Vec<Curve>) {
        Some(*self).add(tag, curves);
    }
}

impl Value for u64 {
    fn add(&self, tag: Tag, curves: &mut Vec<Curve>) {
        (*self as f64).add(tag, curves);
    }
}

impl Value for BTreeMap<String, f64> {
    fn add(&self, tag: Tag, curves: &mut Vec<Curve>) {
        let finite = |value: &f64| Some(*value).filter(|value| value.is_finite());
        curves.extend(
            self.iter()
                .map(|(name, value)| (format!("{tag}/{name}").into(), finite(value))),
        );
    }
}

/// Declares a struct of curves: documentation, name, type, constant and tag of each.
macro_rules! curves {
    ($($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty = $constant:ident $tag:literal,)*
    })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(default)]
            pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

            impl $name {
                $($(#[$field_doc])* pub const $constant: Tag = Tag($tag);)*

                /// The tags of all curves, in the order of the fields.
                pub const TAGS: &[Tag] = &[$(Self::$constant),*];

                pub(crate) fn curves(&self) -> Vec<Curve> {
                    let mut curves = Vec::new();
                    $(self.$field.add(Self::$constant, &mut curves);)*
                    curves
                }
            }
        )*

        /// The tags of all structs.
        pub const ALL_TAGS: &[&[Tag]] = &[$($name::TAGS,)* StageCost::TAGS];
    };
}

curves! {
    /// The games of a generation.
    SelfplayMetrics {
        /// Finished games per second.
        games_per_s: f64 = GAMES_PER_S "selfplay/games_per_s",
        /// Positions per second.
        positions_per_s: f64 = POSITIONS_PER_S "selfplay/positions_per_s",
        /// Network evaluations per second.
        evaluations_per_s: f64 = EVALUATIONS_PER_S "selfplay/evaluations_per_s",
        /// Share of the workers' time inside the network, 0 to 1.
        network_share: f64 = NETWORK_SHARE "selfplay/network_share",
        /// Positions of an evaluator's batch by its largest possible size, 0 to 1.
        batch_fill: f64 = BATCH_FILL "selfplay/batch_fill",
        /// Share of drawn games, 0 to 1.
        draw_rate: f64 = DRAW_RATE "selfplay/draw_rate",
        /// Plies of a game, on average.
        mean_plies: f64 = MEAN_PLIES "selfplay/game_length",
        /// Games cut off by the length limit.
        truncated: u64 = TRUNCATED "selfplay/truncated",
        /// Points of the side that moves first in a finished game, on average, 0 to 1.
        first_player_score: Option<f64> = FIRST_PLAYER_SCORE "selfplay/first_player_score",
        /// Share of games that repeat an earlier game of the generation move by move, 0 to 1.
        duplicate_rate: f64 = DUPLICATE_RATE "selfplay/duplicate_rate",
        /// Simulations of a move that was searched, on average.
        simulations: f64 = SIMULATIONS "selfplay/simulations",
        /// Entropy of the policy targets, in nats.
        target_entropy: Option<f64> = TARGET_ENTROPY "selfplay/target_entropy",
        /// Divergence of the policy targets from the policy of the network that played, in nats:
        /// what search adds. Every target counts once; batches draw the surprising ones more often.
        search_gain: Option<f64> = SEARCH_GAIN "selfplay/search_gain",
    }

    /// The optimizer steps of a generation. Losses and norms are means over the steps that were
    /// made.
    TrainMetrics {
        /// Steps, with the skipped ones.
        steps: u64 = STEPS "train/steps",
        /// Steps that changed nothing, because a number was not finite.
        skipped: u64 = SKIPPED "train/skipped",
        /// Share of the steps whose gradient was shortened, 0 to 1.
        clipped_share: f64 = CLIPPED_SHARE "train/clipped_share",
        /// Length of the gradient before it was shortened.
        gradient_norm: f64 = GRADIENT_NORM "train/gradient_norm",
        /// The last step's learning rate.
        learning_rate: f64 = LEARNING_RATE "train/learning_rate",
        /// Training samples per second.
        samples_per_s: f64 = SAMPLES_PER_S "train/samples_per_s",
        /// Divergence of the network's policy from its targets in nats, as batches draw them: the
        /// part of the policy's loss that learning can take away.
        policy_divergence: f64 = POLICY_DIVERGENCE "train/policy_kl",
        /// Entropy of the policy targets in nats, as batches draw them: the other part.
        target_entropy: f64 = TARGET_ENTROPY "train/target_entropy",
        /// Share of samples whose most likely result is also the target's, 0 to 1.
        value_accuracy: f64 = VALUE_ACCURACY "train/value_accuracy",
        /// Samples in the replay window.
        window_samples: u64 = WINDOW_SAMPLES "train/window_samples",
        /// Generations between the window's samples and the newest one, on average.
        window_age: f64 = WINDOW_AGE "train/window_age",
        /// Loss of each head by its name, in nats and unweighted, and `total`, their weighted sum.
        losses: BTreeMap<String, f64> = LOSSES "loss",
    }

    /// The scores of the network that played the newest games on positions of these games, which it
    /// has not been trained on, and of positions of the whole window, most of which it has. The gap
    /// between the losses is over-fitting. Each position counts once for each time that it is
    /// drawn, as in training.
    Validation {
        /// Cross-entropy of the policy in fresh positions, in nats.
        fresh_policy: Option<f64> = FRESH_POLICY "validation/fresh_policy",
        /// The same in the window.
        window_policy: Option<f64> = WINDOW_POLICY "validation/window_policy",
        /// Cross-entropy of win, draw and loss with the result in fresh positions, in nats.
        fresh_value: Option<f64> = FRESH_VALUE "validation/fresh_value",
        /// The same in the window.
        window_value: Option<f64> = WINDOW_VALUE "validation/window_value",
        /// Divergence of the policy from the target in fresh positions, in nats.
        fresh_policy_kl: Option<f64> = FRESH_POLICY_KL "validation/fresh_policy_kl",
        /// Share of fresh positions where the network's favorite move is the target's, 0 to 1.
        fresh_policy_accuracy: Option<f64> = FRESH_POLICY_ACCURACY "validation/fresh_policy_accuracy",
        /// Entropy of the network's policy in fresh positions, in nats.
        policy_entropy: Option<f64> = POLICY_ENTROPY "validation/policy_entropy",
        /// Entropy of the policy targets of the same positions, in nats.
        target_entropy: Option<f64> = TARGET_ENTROPY "validation/target_entropy",
    }

    /// The gate of a generation.
    GateMetrics {
        /// Points of the candidate against the champion, 0 to 1.
        score: f64 = SCORE "gate/score",
        /// Log-likelihood ratio of the gate's test.
        llr: f64 = LLR "gate/llr",
        /// Pairs of games that it took.
        pairs: u64 = PAIRS "gate/pairs",
    }

    /// A rating of the champion.
    RatingMetrics {
        /// Elo above the player `random`.
        elo: f64 = ELO "rating/elo",
        /// Lower end of its 95 % interval.
        low: f64 = LOW "rating/elo_low",
        /// Upper end of its 95 % interval.
        high: f64 = HIGH "rating/elo_high",
    }

    /// The newest model on positions of an endgame database.
    EndgameMetrics {
        /// Mean distance of the network's value from the truth, 0 to 2.
        value_error: f64 = VALUE_ERROR "endgame/value_error",
        /// Share of chances where the network's favorite move throws away a win or a draw, 0 to 1.
        blunders: f64 = BLUNDERS "endgame/blunders",
        /// The value error after a search.
        search_value_error: f64 = SEARCH_VALUE_ERROR "endgame/search_value_error",
        /// The blunders after a search.
        search_blunders: f64 = SEARCH_BLUNDERS "endgame/search_blunders",
    }

    /// The run after the training of a generation: other axes for its curves.
    ProgressMetrics {
        /// Games of self-play.
        games: u64 = GAMES "progress/games",
        /// Training samples.
        samples: u64 = SAMPLES "progress/samples",
        /// Seconds of all stages.
        seconds: f64 = SECONDS "progress/seconds",
    }
}

impl TrainMetrics {
    /// The loss of the head of that name in nats; 0 where there is no such head.
    #[must_use]
    pub fn loss(&self, head: &str) -> f64 {
        self.losses.get(head).copied().unwrap_or(0.0)
    }
}

impl ProgressMetrics {
    pub(crate) fn new(state: &LoopState) -> ProgressMetrics {
        ProgressMetrics {
            games: state.games,
            samples: state.samples,
            seconds: state.seconds,
        }
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
    /// A rating with half the width of its interval.
    pub(crate) fn new(elo: f64, interval: f64) -> RatingMetrics {
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
        let tags = || ALL_TAGS.iter().copied().flatten().map(|tag| tag.name());
        let unique: BTreeSet<&str> = tags().collect();
        assert_eq!(tags().count(), unique.len());
        for tag in tags().filter(|tag| *tag != TrainMetrics::LOSSES.name()) {
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
        assert_eq!(value(TrainMetrics::GRADIENT_NORM.name()), None);
        assert_eq!(value("loss/policy"), Some(1.5));
    }
}
