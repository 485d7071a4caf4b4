//! Progress of the training loop.

use std::ops::RangeInclusive;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::atomic;
use crate::bind;
use crate::error::{Misfit, Result, StoreError};
use crate::ids::{ModelId, RunId, TrainId};

/// A stage of a generation. Each can be repeated from its start with the same result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The current network plays games.
    SelfPlay,
    /// The network is trained on the window.
    Train,
    /// The candidate plays against the champion.
    Gate,
    /// The champion is rated with separate games.
    Rate,
}

impl Phase {
    /// All stages, in their order within a generation.
    pub const ALL: [Phase; 4] = [Phase::SelfPlay, Phase::Train, Phase::Gate, Phase::Rate];
}

/// Progress of the loop: finished stages, and the next one.
///
/// It is written when a stage is done, after everything that it refers to is on disk. Random
/// streams are not part of it: they are derived from (seed, generation, game) and (seed, step).
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
    /// Samples from these games: the N of the window's W(N).
    pub samples: u64,
    /// Optimizer steps.
    pub step: u64,
    /// The training state after these steps; `None` before the first.
    pub train: Option<TrainId>,
    /// The newest model.
    pub newest: ModelId,
    /// The model that won the last required gate.
    pub champion: ModelId,
    /// The first generation whose games are kept; earlier ones have been deleted to save space. 0
    /// keeps all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub games_from: u32,
    /// Total time of the run in seconds, over all its processes.
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
            games_from: 0,
            seconds: 0.0,
        }
    }

    /// Moves to the next stage, or to the first stage of the next generation.
    pub fn advance(&mut self) {
        self.next = match self.next {
            Phase::SelfPlay => Phase::Train,
            Phase::Train => Phase::Gate,
            Phase::Gate => Phase::Rate,
            Phase::Rate => {
                self.generation += 1;
                Phase::SelfPlay
            }
        };
    }

    /// Generations whose self-play is complete.
    pub fn generations_played(&self) -> u32 {
        match self.next {
            Phase::SelfPlay => self.generation.saturating_sub(1),
            _ => self.generation,
        }
    }

    /// The generations whose games are complete and kept.
    pub fn generations_kept(&self) -> RangeInclusive<u32> {
        self.games_from.max(1)..=self.generations_played()
    }

    /// Returns `true` if the generation's candidate has been trained.
    pub fn is_trained(&self) -> bool {
        matches!(self.next, Phase::Gate | Phase::Rate)
    }

    /// Reads `state.json`; `None` if there is no file.
    pub(super) fn read(path: &Path, run: Option<RunId>) -> Result<Option<LoopState>> {
        /// Read first, because a newer document may have other keys.
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let Some(text) = atomic::read_existing(path, atomic::MAX_DOCUMENT_BYTES)? else {
            return Ok(None);
        };
        let known = LoopState::FORMAT;
        match serde_json::from_slice(&text) {
            Ok(Format { format: found }) if found > known => {
                let expected = known;
                return Err(StoreError::misfit(path)(Misfit::Newer { found, expected }));
            }
            _ => {}
        }
        bind::unseal(path, &text, run).map(Some)
    }

    /// A contradiction within the document: its content, and the expected content.
    pub fn contradiction(&self) -> Option<(String, String)> {
        let trained = self
            .generation
            .saturating_sub(u32::from(!self.is_trained()));
        let faults = [
            (
                self.format != LoopState::FORMAT,
                format!("format {}", self.format),
                "format 1",
            ),
            (
                self.generation == 0,
                "generation 0".to_owned(),
                "generation 1 or more",
            ),
            (
                self.newest.0 != trained,
                format!("newest model {}", self.newest),
                &*format!(
                    "model {}, the newest before {:?} of generation {}",
                    ModelId(trained),
                    self.next,
                    self.generation
                ),
            ),
            (
                self.champion > self.newest,
                format!("champion {}", self.champion),
                &*format!("a model up to {}", self.newest),
            ),
            (
                self.train.is_none() && self.step > 0,
                format!("{} optimizer steps and no training state", self.step),
                "the training state after these steps",
            ),
            (
                self.positions < self.games || self.samples > self.positions,
                format!(
                    "{} samples of {} positions of {} games",
                    self.samples, self.positions, self.games
                ),
                "no more samples than positions, and no fewer positions than games",
            ),
            (
                self.games_from > self.generation,
                format!("games from generation {} on", self.games_from),
                &*format!("a generation up to {}, the current one", self.generation),
            ),
            (
                !(self.seconds >= 0.0 && self.seconds.is_finite()),
                format!("{} seconds", self.seconds),
                "a time",
            ),
        ];
        let (_, found, expected) = faults.into_iter().find(|(is_fault, ..)| *is_fault)?;
        Some((found, expected.to_owned()))
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
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
    fn numbers_that_do_not_fit_together_are_named() {
        let fine = LoopState {
            generation: 5,
            games: 40,
            positions: 2000,
            samples: 900,
            step: 70,
            train: Some(TrainId(4)),
            newest: ModelId(4),
            champion: ModelId(3),
            seconds: 1.5,
            ..LoopState::start()
        };
        assert_eq!(fine.contradiction(), None);
        assert_eq!(LoopState::start().contradiction(), None);
        let at_the_edge: [fn(&mut LoopState); 4] = [
            |s| s.champion = s.newest,
            |s| s.step = 0,
            |s| (s.train, s.step) = (None, 0),
            |s| s.games_from = s.generation,
        ];
        for change in at_the_edge {
            let mut state = fine.clone();
            change(&mut state);
            assert_eq!(state.contradiction(), None);
        }
        type Change = fn(&mut LoopState);
        let changes: [(Change, &str); 12] = [
            (|s| s.newest = ModelId(0), "newest model 000000"),
            (|s| s.generation = 9, "newest model 000004"),
            (|s| s.next = Phase::Gate, "newest model 000004"),
            (|s| s.champion = ModelId(7), "champion 000007"),
            (|s| s.train = None, "70 optimizer steps"),
            (|s| s.samples = 1 << 60, "samples of 2000 positions"),
            (|s| s.games_from = 6, "games from generation 6"),
            (|s| s.seconds = f64::NAN, "NaN seconds"),
            (|s| s.seconds = -1.0, "-1 seconds"),
            (|s| s.seconds = f64::INFINITY, "inf seconds"),
            (
                |s| (s.positions, s.samples) = (39, 0),
                "of 39 positions of 40 games",
            ),
            (|s| s.format = 0, "format 0"),
        ];
        for (change, expected) in changes {
            let mut state = fine.clone();
            change(&mut state);
            let (found, _) = state.contradiction().unwrap();
            assert!(found.contains(expected), "{found}");
        }
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
        assert!(!text.contains("games_from"), "all are kept: {text}");
        assert_eq!(serde_json::from_str::<LoopState>(&text).unwrap(), state);
        let shortened = LoopState {
            games_from: 3,
            ..state
        };
        let text = serde_json::to_string(&shortened).unwrap();
        assert_eq!(serde_json::from_str::<LoopState>(&text).unwrap(), shortened);
    }
}
