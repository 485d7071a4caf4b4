//! Deeper labels, saved to disk while they are computed.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Instant;

use distill::{Examples, ScoreJob, Teacher};
use nnue::Network;
use xxhash_rust::xxh3::Xxh3;

use super::DistillObserver;
use super::round::{Round, SAVE_INTERVAL};
use super::unfinished::{seal, unseal};
use crate::Result;
use roster::EvaluationError;

/// The labels computed so far in a round. Saved ones that do not fit are computed again.
struct Labels {
    /// A hash of everything the scores depend on: positions, evaluation and depth.
    key: u64,
    /// In the order of [`Teacher::search_scores`].
    scores: Vec<i16>,
}

impl Labels {
    fn new(examples: &Examples, network: &Network, depth: u32) -> Result<Labels> {
        let mut key = Xxh3::new();
        key.update(&network.to_bytes().map_err(EvaluationError::from)?);
        key.update(&depth.to_le_bytes());
        for word in examples.inputs().flatten() {
            key.update(&word.to_le_bytes());
        }
        Ok(Labels {
            key: key.digest(),
            scores: Vec::new(),
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let scores = self.scores.iter().flat_map(|score| score.to_le_bytes());
        seal(self.key, &scores.collect::<Vec<u8>>())
    }

    /// Loads saved scores with the same key.
    fn resume(&mut self, bytes: &[u8]) {
        if let Some(scores) = unseal(self.key, bytes) {
            let (scores, _) = scores.as_chunks();
            self.scores = scores
                .iter()
                .map(|score| i16::from_le_bytes(*score))
                .collect();
        }
    }
}

impl Round<'_> {
    /// Replaces the recorded values by scores of a search with the best evaluation so far, if the
    /// settings ask for it and there is one; `false` if it was stopped.
    pub(super) fn relabel(
        &self,
        examples: &mut Examples,
        observer: &mut DistillObserver<'_>,
    ) -> Result<bool> {
        let teacher = &self.best.teacher;
        let (Some(depth), Teacher::Network(network)) = (self.settings.relabel, teacher) else {
            return Ok(true);
        };
        let total = examples.n_positions();
        let mut labels = Labels::new(examples, network, depth)?;
        if let Some(bytes) = self.dir.labels(self.number)? {
            labels.resume(&bytes);
        }
        let mut outcome = Ok(());
        let mut saved = Instant::now();
        let job = ScoreJob {
            examples,
            first: labels.scores.len(),
            depth,
        };
        teacher.search_scores(job, self.stop, &mut |scores| {
            labels.scores.extend_from_slice(scores);
            let done = labels.scores.len() as u64;
            let event = self.progress("relabelling", done, total as u64, String::new());
            observer(&event);
            if saved.elapsed() >= SAVE_INTERVAL {
                outcome = self.dir.save_labels(self.number, &labels.to_bytes());
                saved = Instant::now();
            }
            match outcome {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        outcome?;
        self.dir.save_labels(self.number, &labels.to_bytes())?;
        if labels.scores.len() < total || self.stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        examples.relabel(&labels.scores, &self.settings.learning);
        Ok(true)
    }
}
