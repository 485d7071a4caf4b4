//! The names of all curves.

macro_rules! scalars {
    ($($(#[$doc:meta])* $scalar:ident = $tag:literal;)*) => {
        /// A quantity that is followed over the course of a run.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Scalar { $($(#[$doc])* $scalar),* }

        impl Scalar {
            /// Every scalar.
            pub const ALL: [Scalar; [$($tag),*].len()] = [$(Scalar::$scalar),*];

            /// Its name in `metrics.jsonl` and in TensorBoard, which groups by the part before the slash.
            pub const fn tag(self) -> &'static str {
                match self { $(Scalar::$scalar => $tag),* }
            }
        }
    };
}

scalars! {
    /// Everything that is minimised, weighted.
    TotalLoss = "loss/total";
    /// Cross-entropy of the policy, in nats.
    PolicyLoss = "loss/policy";
    /// Cross-entropy of the softened policy, in nats.
    SoftPolicyLoss = "loss/soft_policy";
    /// Cross-entropy of win, draw and loss, in nats.
    ValueLoss = "loss/value";
    /// The same against averages of the values soon after.
    ShortValueLoss = "loss/short_value";
    /// Loss of the guess how long the game will last.
    PliesLeftLoss = "loss/plies_left";

    /// How far the policy target is from the prior, in nats: what search still adds.
    SearchGain = "train/search_gain";
    /// Share of positions where the network's favourite is the target's.
    PolicyAccuracy = "train/policy_accuracy";
    /// The learning rate.
    LearningRate = "train/learning_rate";
    /// The norm of the gradient before clipping.
    GradientNorm = "train/gradient_norm";
    /// Training samples a second.
    TrainSamplesPerS = "train/samples_per_s";
    /// Samples in the replay window.
    WindowSamples = "train/window_samples";

    /// Finished games a second.
    GamesPerS = "selfplay/games_per_s";
    /// Positions a second.
    PositionsPerS = "selfplay/positions_per_s";
    /// Network evaluations a second.
    EvaluationsPerS = "selfplay/evaluations_per_s";
    /// Plies of a game, on average.
    GameLength = "selfplay/game_length";
    /// Share of drawn games.
    DrawRate = "selfplay/draw_rate";
    /// Points of the side that moves first, on average, from 0 to 1.
    FirstPlayerScore = "selfplay/first_player_score";
    /// Share of games that the cap on their length cut off.
    TruncatedRate = "selfplay/truncated_rate";
    /// Share of games whose moves are those of another game of the generation.
    DuplicateRate = "selfplay/duplicate_rate";
    /// Entropy of the policy targets, in nats.
    PolicyEntropy = "selfplay/policy_entropy";
    /// Simulations per fully searched move.
    Simulations = "selfplay/simulations";

    /// Points of the candidate against the champion, from 0 to 1.
    GateScore = "gate/score";
    /// Log-likelihood ratio of the gate's test.
    GateLlr = "gate/llr";
    /// Pairs of games that the gate took.
    GatePairs = "gate/pairs";

    /// Elo above the player `random`.
    Elo = "rating/elo";
    /// Lower end of its 95 % interval.
    EloLow = "rating/elo_low";
    /// Upper end of its 95 % interval.
    EloHigh = "rating/elo_high";

    /// Mean distance of the network's value from the truth, in endings of a database: 0 to 2.
    EndgameValueError = "endgame/value_error";
    /// Share of such endings where the network's favourite move throws away a win or a draw.
    EndgameBlunders = "endgame/blunders";
    /// The value error after a search.
    EndgameSearchValueError = "endgame/search_value_error";
    /// The blunders after a search.
    EndgameSearchBlunders = "endgame/search_blunders";

    /// Seconds that the generation spent on self-play.
    SelfPlaySeconds = "time/selfplay_s";
    /// Seconds that it spent on training.
    TrainSeconds = "time/train_s";
    /// Seconds that it spent on the gate.
    GateSeconds = "time/gate_s";
    /// Seconds that it spent on ratings.
    RateSeconds = "time/rate_s";
    /// Resident memory of the process, in mebibytes.
    MemoryMib = "process/memory_mib";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn tags_are_unique_and_grouped() {
        let tags: HashSet<_> = Scalar::ALL.iter().map(|scalar| scalar.tag()).collect();
        assert_eq!(tags.len(), Scalar::ALL.len());
        assert!(tags.iter().all(|tag| tag.split('/').count() == 2));
    }
}
