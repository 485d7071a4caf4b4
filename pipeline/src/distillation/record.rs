//! What a distillation keeps of itself: its settings, and what each round came to.

use std::path::PathBuf;

use distill::{Loss, PlayConfig, Summary};
use eval::{Counts, EloInterval};
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
