//! Progress of the training loop.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ModelId, TrainId};
use crate::error::{Result, StoreError};

/// A stage of a generation. Each can be repeated from its start with the same outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The current network plays games.
    SelfPlay,
    /// The network is trained on the window.
    Train,
    /// The candidate plays against the champion.
    Gate,
    /// The champion is rated with fresh games.
    Rate,
}

impl Phase {
    /// The next stage; none after the last one of a generation.
    pub fn next(self) -> Option<Phase> {
        match self {
            Phase::SelfPlay => Some(Phase::Train),
            Phase::Train => Some(Phase::Gate),
            Phase::Gate => Some(Phase::Rate),
            Phase::Rate => None,
        }
    }
}

/// Progress of the loop: what is finished, and which stage comes next.
///
/// It is written when a stage is done, after everything that it refers to is on disk. Random streams
/// are not part of it: they are derived from (seed, generation, game) and (seed, step).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopState {
    /// Version of this document.
    pub format: u32,
    /// The current generation, from 1. Generation g produces model g.
    pub generation: u32,
    /// Its next stage.
    pub next: Phase,
    /// Games in finished self-play stages.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Samples of these games: the N of the window's W(N).
    pub samples: u64,
    /// Optimiser steps done.
    pub step: u64,
    /// The training state after these steps; none before the first.
    pub train: Option<TrainId>,
    /// The newest model.
    pub newest: ModelId,
    /// The model that won the last gate it had to win.
    pub champion: ModelId,
    /// Time spent on the run so far, in seconds, over all its processes.
    pub seconds: f64,
}

impl LoopState {
    /// The version that this program reads and writes.
    pub const FORMAT: u32 = 1;

    /// The state of a run that has only its untrained network.
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

    /// Moves to the next stage, or to the first stage of the next generation.
    pub fn advance(&mut self) {
        match self.next.next() {
            Some(phase) => self.next = phase,
            None => {
                self.next = Phase::SelfPlay;
                self.generation += 1;
            }
        }
    }

    /// Generations whose self-play is complete.
    pub fn generations_played(&self) -> u32 {
        match self.next {
            Phase::SelfPlay => self.generation.saturating_sub(1),
            _ => self.generation,
        }
    }

    /// Rejects a document of another version.
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
