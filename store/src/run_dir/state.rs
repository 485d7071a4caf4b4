//! How far the training loop is.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ModelId, TrainId};
use crate::error::{Result, StoreError};

/// A stage of a generation. Each can be repeated from its start with the same outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Games are played with the current network.
    SelfPlay,
    /// The network is trained on the window.
    Train,
    /// The candidate plays the champion.
    Gate,
    /// The models are rated with fresh games.
    Rate,
}

impl Phase {
    /// The stage after this one; none where the generation ends.
    pub fn next(self) -> Option<Phase> {
        match self {
            Phase::SelfPlay => Some(Phase::Train),
            Phase::Train => Some(Phase::Gate),
            Phase::Gate => Some(Phase::Rate),
            Phase::Rate => None,
        }
    }
}

/// How far the loop is: all that has been finished, and which stage comes next.
///
/// It is written when a stage is done, after everything that it refers to is on disk. Random streams
/// need no place here: they are derived from (seed, generation, game) and (seed, step).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopState {
    /// Version of this document.
    pub format: u32,
    /// The generation that is being worked on, from 1. Generation g makes model g.
    pub generation: u32,
    /// The stage of it that comes next.
    pub next: Phase,
    /// Games in finished self-play stages.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Samples that these games gave: the N of the window's W(N).
    pub samples: u64,
    /// Optimiser steps done.
    pub step: u64,
    /// The training state after these steps; none before the first.
    pub train: Option<TrainId>,
    /// The newest model.
    pub newest: ModelId,
    /// The model that the gate holds to be the strongest.
    pub champion: ModelId,
    /// Time spent on the run so far, in seconds, over all its processes.
    pub seconds: f64,
}

impl LoopState {
    /// The version of the document that this program reads and writes.
    pub const FORMAT: u32 = 1;

    /// The state of a run that has its untrained network and nothing else.
    pub fn start() -> LoopState {
        LoopState {
            format: LoopState::FORMAT,
            generation: 1,
            next: Phase::SelfPlay,
            games: 0,
            positions: 0,
            samples: 0,
            step: 0,
            train: None,
            newest: ModelId(0),
            champion: ModelId(0),
            seconds: 0.0,
        }
    }

    /// Goes on to the next stage, or to the first stage of the next generation.
    pub fn advance(&mut self) {
        match self.next.next() {
            Some(phase) => self.next = phase,
            None => {
                self.next = Phase::SelfPlay;
                self.generation += 1;
            }
        }
    }

    /// Generations whose self-play is over.
    pub fn generations_played(&self) -> u32 {
        match self.next {
            Phase::SelfPlay => self.generation.saturating_sub(1),
            _ => self.generation,
        }
    }

    /// Refuses a document of another version.
    pub(super) fn checked(self, path: &Path) -> Result<LoopState> {
        if self.format == LoopState::FORMAT {
            return Ok(self);
        }
        let (found, known) = (self.format, LoopState::FORMAT);
        Err(StoreError::Format {
            path: path.to_owned(),
            found,
            known,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_stages_make_a_generation() {
        let mut state = LoopState::start();
        let mut seen = Vec::new();
        for _ in 0..5 {
            seen.push((state.generation, state.next));
            let is_played = u32::from(state.next != Phase::SelfPlay);
            assert_eq!(state.generations_played(), state.generation - 1 + is_played);
            state.advance();
        }
        let first = [Phase::SelfPlay, Phase::Train, Phase::Gate, Phase::Rate].map(|p| (1, p));
        assert_eq!(seen[..4], first);
        assert_eq!(seen[4], (2, Phase::SelfPlay));
    }

    #[test]
    fn the_document_is_plain_and_comes_back() {
        let state = LoopState {
            train: Some(TrainId(3)),
            ..LoopState::start()
        };
        let text = serde_json::to_string(&state).unwrap();
        assert!(
            text.contains(r#""next":"self-play""#) && text.contains(r#""train":3"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<LoopState>(&text).unwrap(), state);
    }
}
