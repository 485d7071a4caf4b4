//! The curves of a run: a struct for each stage, whose fields are the curves.
//!
//! Each struct is created with a literal that names every field, so a curve without a value does
//! not compile. Readers name a curve by the [`Tag`] declared in its struct.
//! [`MetricsLog`](crate::MetricsLog) writes the curves to `metrics.jsonl` and to TensorBoard.

mod cost;
mod selfplay;
mod train;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use cost::StageCost;
pub(crate) use selfplay::Generation;
pub(crate) use train::{TrainSums, mean_losses};

/// Name of a curve in `metrics.jsonl` and TensorBoard, which groups curves by the part before the
/// slash. Only the structs of this module declare tags, so no reader can ask for a curve that is
/// never written.
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

/// Name and value of one curve at one time; `None` if the value is unknown or not finite.
pub(crate) type Curve = (Cow<'static, str>, Option<f64>);

/// A value that yields one point of one curve, or of several whose names begin with `tag`.
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

/// The documentation of a group of curves, and of each curve in it.
pub type CurveDocs = (&'static str, &'static [(Tag, &'static str)]);

/// Declares a struct of curves: the documentation, name, type, constant and tag of each.
macro_rules! curves {
    ($($(#[doc = $doc:literal])* $name:ident {
        $($(#[doc = $field_doc:literal])* $field:ident: $type:ty = $constant:ident $tag:literal,)*
    })*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(default)]
            pub struct $name { $($(#[doc = $field_doc])* pub $field: $type,)* }

            impl $name {
                $($(#[doc = $field_doc])* pub const $constant: Tag = Tag($tag);)*

                /// The tags of all curves, in the order of the fields.
                pub const TAGS: &[Tag] = &[$(Self::$constant),*];

                pub(crate) fn curves(&self) -> Vec<Curve> {
                    let mut curves = Vec::new();
                    $(self.$field.add(Self::$constant, &mut curves);)*
                    curves
                }
            }
        )*

        /// The documentation of each struct, and of each of its curves.
        pub const CURVE_DOCS: &[CurveDocs] = &[
            $((concat!($($doc),*), &[$(($name::$constant, concat!($($field_doc),*))),*]),)*
            StageCost::DOCS,
        ];
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
        /// Fraction of the workers' time spent in the network, 0 to 1.
        network_share: f64 = NETWORK_SHARE "selfplay/network_share",
        /// Mean batch size of an evaluator divided by its maximum, 0 to 1.
        batch_fill: f64 = BATCH_FILL "selfplay/batch_fill",
        /// Fraction of drawn games, 0 to 1.
        draw_rate: f64 = DRAW_RATE "selfplay/draw_rate",
        /// Mean game length in plies.
        mean_plies: f64 = MEAN_PLIES "selfplay/game_length",
        /// Number of games cut off by the length limit.
        truncated: u64 = TRUNCATED "selfplay/truncated",
        /// Mean score of the side that moves first in finished games, 0 to 1.
        first_player_score: Option<f64> = FIRST_PLAYER_SCORE "selfplay/first_player_score",
        /// Fraction of games that repeat an earlier game of the generation move for move, 0 to 1.
        duplicate_rate: f64 = DUPLICATE_RATE "selfplay/duplicate_rate",
        /// Mean simulations of a searched move.
        simulations: f64 = SIMULATIONS "selfplay/simulations",
        /// Entropy of the policy targets, in nats.
        target_entropy: Option<f64> = TARGET_ENTROPY "selfplay/target_entropy",
        /// Kullback-Leibler divergence of the policy targets from the policy of the network that
        /// played, in nats: the improvement by search. Every target counts once; batches draw
        /// surprising ones more often.
        search_gain: Option<f64> = SEARCH_GAIN "selfplay/search_gain",
    }

    /// The optimizer steps of a generation. Losses and norms are means over the steps.
    TrainMetrics {
        /// Optimizer steps, including skipped ones.
        steps: u64 = STEPS "train/steps",
        /// Skipped steps, whose loss or gradient was not finite.
        skipped: u64 = SKIPPED "train/skipped",
        /// Fraction of steps whose gradient was clipped, 0 to 1.
        clipped_share: f64 = CLIPPED_SHARE "train/clipped_share",
        /// Gradient norm before clipping.
        gradient_norm: f64 = GRADIENT_NORM "train/gradient_norm",
        /// Learning rate of the last step.
        learning_rate: f64 = LEARNING_RATE "train/learning_rate",
        /// Training samples per second.
        samples_per_s: f64 = SAMPLES_PER_S "train/samples_per_s",
        /// Kullback-Leibler divergence of the network's policy from its targets in nats, over the
        /// sampled batches: the reducible part of the policy loss.
        policy_divergence: f64 = POLICY_DIVERGENCE "train/policy_kl",
        /// Entropy of the policy targets in nats, over the sampled batches: the irreducible part of
        /// the policy loss.
        target_entropy: f64 = TARGET_ENTROPY "train/target_entropy",
        /// Fraction of samples whose most likely predicted result matches the target's, 0 to 1.
        value_accuracy: f64 = VALUE_ACCURACY "train/value_accuracy",
        /// Samples in the replay window.
        window_samples: u64 = WINDOW_SAMPLES "train/window_samples",
        /// Mean age of the window's samples in generations.
        window_age: f64 = WINDOW_AGE "train/window_age",
        /// Unweighted loss of each head by name, in nats, and `total`, their weighted sum.
        losses: BTreeMap<String, f64> = LOSSES "loss",
    }

    /// Losses of the network that played the newest games: on positions of these games, and on
    /// positions of games 4 to 8 generations old, some of them held out of all training and the
    /// others learned from. The gap between these is what the network knows by heart. Each position
    /// counts once for each time it is drawn, as in training.
    Validation {
        /// Policy cross-entropy on fresh positions, in nats.
        fresh_policy: Option<f64> = FRESH_POLICY "validation/fresh_policy",
        /// Cross-entropy of win, draw and loss with the result on fresh positions, in nats.
        fresh_value: Option<f64> = FRESH_VALUE "validation/fresh_value",
        /// Kullback-Leibler divergence of the policy from the target on fresh positions, in nats.
        fresh_policy_kl: Option<f64> = FRESH_POLICY_KL "validation/fresh_policy_kl",
        /// Fraction of fresh positions where the network's most likely move is the target's, 0 to
        /// 1.
        fresh_policy_accuracy: Option<f64> = FRESH_POLICY_ACCURACY "validation/fresh_policy_accuracy",
        /// Entropy of the network's policy on fresh positions, in nats.
        policy_entropy: Option<f64> = POLICY_ENTROPY "validation/policy_entropy",
        /// Entropy of the policy targets of the same positions, in nats.
        target_entropy: Option<f64> = TARGET_ENTROPY "validation/target_entropy",
        /// Policy cross-entropy on held-out games, in nats.
        held_out_policy: Option<f64> = HELD_OUT_POLICY "validation/held_out_policy",
        /// Policy cross-entropy on learned games of the same generations, in nats.
        learned_policy: Option<f64> = LEARNED_POLICY "validation/learned_policy",
        /// Value cross-entropy on held-out games, in nats.
        held_out_value: Option<f64> = HELD_OUT_VALUE "validation/held_out_value",
        /// Value cross-entropy on learned games of the same generations, in nats.
        learned_value: Option<f64> = LEARNED_VALUE "validation/learned_value",
        /// Mean squared error of the expected points, -1 to 1, on held-out games.
        held_out_error: Option<f64> = HELD_OUT_ERROR "validation/held_out_error",
        /// The same on learned games of the same generations.
        learned_error: Option<f64> = LEARNED_ERROR "validation/learned_error",
        /// Value cross-entropy on held-out games less that on learned games, with more than three
        /// quarters of the pieces, in nats.
        gap_quarter_4: Option<f64> = GAP_QUARTER_4 "validation/gap_quarter_4",
        /// The same with more than half of the pieces.
        gap_quarter_3: Option<f64> = GAP_QUARTER_3 "validation/gap_quarter_3",
        /// The same with more than a quarter of the pieces.
        gap_quarter_2: Option<f64> = GAP_QUARTER_2 "validation/gap_quarter_2",
        /// The same with fewer pieces.
        gap_quarter_1: Option<f64> = GAP_QUARTER_1 "validation/gap_quarter_1",
    }

    /// The gate of a generation.
    GateMetrics {
        /// Score of the candidate against the champion, 0 to 1.
        score: f64 = SCORE "gate/score",
        /// Log-likelihood ratio of the gate's sequential test.
        llr: f64 = LLR "gate/llr",
        /// Number of pairs of games.
        pairs: u64 = PAIRS "gate/pairs",
    }

    /// A rating of the champion.
    RatingMetrics {
        /// Elo above the player `random`.
        elo: f64 = ELO "rating/elo",
        /// Lower end of the 95 % interval.
        low: f64 = LOW "rating/elo_low",
        /// Upper end of the 95 % interval.
        high: f64 = HIGH "rating/elo_high",
    }

    /// The newest model on positions of an endgame database.
    EndgameMetrics {
        /// Mean absolute error of the network's value against the exact value, 0 to 2.
        value_error: f64 = VALUE_ERROR "endgame/value_error",
        /// Fraction of critical positions where the network's preferred move gives away a win or a
        /// draw, 0 to 1.
        blunders: f64 = BLUNDERS "endgame/blunders",
        /// Value error after a search.
        search_value_error: f64 = SEARCH_VALUE_ERROR "endgame/search_value_error",
        /// Blunder rate after a search.
        search_blunders: f64 = SEARCH_BLUNDERS "endgame/search_blunders",
    }

    /// The progress of the run after the training stage, as alternative axes for curves.
    ProgressMetrics {
        /// Self-play games.
        games: u64 = GAMES "progress/games",
        /// Training samples.
        samples: u64 = SAMPLES "progress/samples",
        /// Total time of all stages in seconds.
        seconds: f64 = SECONDS "progress/seconds",
    }
}

impl TrainMetrics {
    /// Points of the loss curves within a training stage.
    pub(crate) fn loss_curves(losses: &BTreeMap<String, f64>) -> Vec<Curve> {
        let mut curves = Vec::new();
        losses.add(Self::LOSSES, &mut curves);
        curves
    }

    /// Loss of the head with that name in nats; 0 if there is no such head.
    #[must_use]
    pub fn loss(&self, head: &str) -> f64 {
        self.losses.get(head).copied().unwrap_or(0.0)
    }
}

impl Validation {
    /// Generations whose held-out games are measured together, so that measurements as far apart
    /// share no games.
    pub const GENERATIONS: usize = 5;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tags_are_unique_and_grouped() {
        let docs = CURVE_DOCS.iter().flat_map(|(_, docs)| *docs);
        let tags = || docs.clone().map(|(tag, _)| tag.name());
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
