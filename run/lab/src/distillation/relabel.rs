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

/// A hash of everything that labels depend on.
fn key(examples: &Examples, network: &Network, depth: u32) -> Result<u64> {
    let mut key = Xxh3::new();
    key.update(&network.to_bytes().map_err(EvaluationError::from)?);
    key.update(&depth.to_le_bytes());
    for word in examples.inputs().flatten() {
        key.update(&word.to_le_bytes());
    }
    Ok(key.digest())
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
        let key = key(examples, network, depth)?;
        let file = self.dir.labels(self.number)?;
        let known = file.as_deref().and_then(|bytes| unseal(key, bytes));
        let (known, _) = known.unwrap_or_default().as_chunks();
        let mut labels: Vec<i16> = known
            .iter()
            .map(|label| i16::from_le_bytes(*label))
            .collect();
        let save = |labels: &[i16]| {
            let bytes: Vec<u8> = labels
                .iter()
                .flat_map(|label| label.to_le_bytes())
                .collect();
            self.dir.save_labels(self.number, &seal(key, &bytes))
        };
        let mut outcome = Ok(());
        let mut saved = Instant::now();
        let job = ScoreJob {
            examples,
            first: labels.len(),
            depth,
        };
        teacher.search_scores(job, self.stop, &mut |scores| {
            labels.extend_from_slice(scores);
            let done = labels.len() as u64;
            observer(&self.progress("relabelling", done, total as u64, String::new()));
            if saved.elapsed() >= SAVE_INTERVAL {
                outcome = save(&labels);
                saved = Instant::now();
            }
            match outcome {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        outcome?;
        save(&labels)?;
        if labels.len() < total || self.stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        examples.relabel(&labels, &self.settings.learning);
        Ok(true)
    }
}
