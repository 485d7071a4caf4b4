//! What a distillation keeps of itself: its settings, and what each round came to.

use std::fmt;
use std::path::PathBuf;

use distill::{Loss, PlayConfig, Summary};
use nnue::BUCKETS;
use ratings::{Counts, EloInterval};
use serde::{Deserialize, Serialize};

/// What a distillation learns from, and how. All of it decides what comes out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistillSettings {
    /// The game.
    pub variant: String,
    /// The run whose games come first.
    pub run: Option<PathBuf>,
    /// The evaluation to go on from, `bundled` or a directory; nothing for an untrained one. Without a run
    /// it plays the first games, or a search that counts material does.
    pub teacher: Option<String>,
    /// How an evaluation learns.
    pub learning: distill::Config,
    /// How games are played.
    pub play: PlayConfig,
    /// The plies of the search by the best evaluation so far whose scores take the place of the recorded
    /// values; nothing to keep those. A round before which there is no evaluation keeps them too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relabel: Option<u32>,
}

/// What a distillation has come to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distillation {
    /// What it learns from.
    pub settings: DistillSettings,
    /// What each round has learnt, the first one first.
    pub rounds: Vec<DistillRound>,
}

/// What a round has learnt.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistillRound {
    /// Its number; 0 learns from the run alone.
    pub round: u32,
    /// What it learnt from.
    pub examples: Summary,
    /// Steps of training.
    pub steps: u64,
    /// The error on games that were held out.
    pub held_out: Loss,
    /// How it did against the best evaluation before.
    pub contest: Option<Contest>,
    /// Whether it is the best one now.
    pub kept: bool,
}

/// A match between what a round has learnt and the best evaluation before it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contest {
    /// Whom it played: a round's number, the teacher or `material`.
    pub against: String,
    /// Positions that each move visited.
    pub nodes: u64,
    /// Results of the new one.
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
    /// The round in a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DistillRound {
            round,
            examples,
            steps,
            held_out,
            contest,
            kept,
        } = self;
        let positions = examples.training;
        let error = held_out.result;
        write!(
            f,
            "Round {round}: {positions} positions, {steps} steps, error {error:.5} by the result"
        )?;
        let Some(Contest {
            against,
            counts,
            elo,
            ..
        }) = contest
        else {
            return Ok(());
        };
        let verdict = if *kept { "kept" } else { "not kept" };
        write!(
            f,
            "; {:.1} % against {against}, Elo {elo}, {verdict}",
            100.0 * counts.score()
        )
    }
}

impl fmt::Display for Distillation {
    /// What the best round learnt from, and its errors.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(best) = self.best() else {
            return writeln!(f, "No round was better than the teacher.");
        };
        let Summary {
            games,
            positions,
            training,
            held_out,
            by_bucket,
            value_bias,
        } = best.examples;
        writeln!(
            f,
            "{}, round {}: {games} games, {positions} quiet positions; {training} different ones \
             learnt from, {held_out} held out, {} steps",
            self.settings.variant, best.round, best.steps
        )?;
        let Loss {
            target,
            result,
            result_by_bucket,
        } = best.held_out;
        writeln!(
            f,
            "Error on the held-out games: {target:.5} by the target, {result:.5} by the result"
        )?;
        for bucket in (0..BUCKETS).rev() {
            writeln!(
                f,
                "  quarter {} of the pieces: {:.5} by the result; {} positions, searched values {:+.3} too high",
                bucket + 1,
                result_by_bucket[bucket],
                by_bucket[bucket],
                value_bias[bucket]
            )?;
        }
        Ok(())
    }
}
