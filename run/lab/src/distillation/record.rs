//! Record of a distillation: its settings and the result of each round.

use std::fmt;
use std::path::PathBuf;

use distill::{Loss, PlayConfig, Summary};
use nnue::BUCKETS;
use ratings::{Counts, EloInterval};
use serde::{Deserialize, Serialize};
use types::tidy;

/// Settings of a distillation. The result depends on all of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistillSettings {
    /// The game.
    pub variant: String,
    /// The run whose games are used first.
    pub run: Option<PathBuf>,
    /// The evaluation to start from, `bundled` or a directory; `None` for an untrained one. Without
    /// a run it plays the first games; without it, a search that counts material plays them.
    pub teacher: Option<String>,
    /// Training settings of the evaluation.
    pub learning: distill::Config,
    /// Settings of the games.
    pub play: PlayConfig,
    /// Depth in plies of the search by the best evaluation so far, whose scores replace the
    /// recorded values; `None` keeps the recorded values. A round without an earlier evaluation
    /// keeps them too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relabel: Option<u32>,
}

/// The state of a distillation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distillation {
    /// Its settings.
    pub settings: DistillSettings,
    /// The results of all rounds, the first one first.
    pub rounds: Vec<DistillRound>,
}

/// Result of a round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistillRound {
    /// Its number; 0 learns from the run alone.
    pub round: u32,
    /// The training data.
    pub examples: Summary,
    /// Steps of training.
    pub steps: u64,
    /// Loss on the held-out games.
    pub held_out: Loss,
    /// Match against the previous best evaluation.
    pub contest: Option<Contest>,
    /// `true` if it became the best evaluation.
    pub kept: bool,
}

/// Match between the evaluation of a round and the best one before it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contest {
    /// The opponent: the number of a round, the teacher or `material`.
    pub against: String,
    /// Positions per move.
    pub nodes: u64,
    /// Results of the new evaluation.
    pub counts: Counts,
    /// Its advantage.
    pub elo: EloInterval,
}

impl Distillation {
    /// The round whose evaluation is the best so far.
    pub fn best(&self) -> Option<&DistillRound> {
        self.rounds.iter().rev().find(|round| round.kept)
    }
}

impl fmt::Display for DistillRound {
    /// The round on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (positions, error) = (self.examples.training, self.held_out.result);
        write!(
            f,
            "Round {}: {positions} positions, {} steps, error {error:.5} by the result",
            self.round, self.steps
        )?;
        let Some(contest) = &self.contest else {
            return Ok(());
        };
        let verdict = if self.kept { "kept" } else { "not kept" };
        write!(
            f,
            "; {:.1} % against {}, Elo {}, {verdict}",
            100.0 * contest.counts.score(),
            contest.against,
            contest.elo
        )
    }
}

impl fmt::Display for Distillation {
    /// Training data and losses of the best round.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(best) = self.best() else {
            return writeln!(f, "No round was stronger than the teacher.");
        };
        let (examples, loss) = (&best.examples, &best.held_out);
        writeln!(
            f,
            "{}, round {}: {} games, {} quiet positions; trained on {} distinct positions, {} held \
             out, {} steps",
            self.settings.variant,
            best.round,
            examples.games,
            examples.positions,
            examples.training,
            examples.held_out,
            best.steps
        )?;
        writeln!(
            f,
            "Error on the held-out games: {:.5} by the target, {:.5} by the result",
            loss.target, loss.result
        )?;
        for bucket in (0..BUCKETS).rev() {
            writeln!(
                f,
                "  quarter {} of the pieces: {:.5} by the result; {} positions, searched values \
                    {:+.3} too high",
                bucket + 1,
                loss.result_by_bucket[bucket],
                examples.by_bucket[bucket],
                tidy(examples.value_bias[bucket].into(), 3)
            )?;
        }
        Ok(())
    }
}
