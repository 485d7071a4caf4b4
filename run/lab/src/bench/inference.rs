//! Benchmark of the network with full batches.

use std::convert::Infallible;
use std::time::Instant;
use std::{iter, thread};

use model::cpu::peak_flops;
use model::{InstructionSet, Precision};
use rules::Position;
use search::{Batch, Evaluator, EvaluatorError};
use trainer::Compute;

use super::{Bench, ROUND};
use crate::Result;
use run::evaluators::Evaluators;

/// Maximum number of measurements of the peak.
const PEAKS: usize = 4;

impl Bench {
    /// The network on one thread and on all, or on the device.
    ///
    /// # Errors
    /// If the network cannot be computed.
    pub(super) fn inference(&mut self) -> Result<()> {
        let flops = self.model.config.flops() as f64;
        match self.compute {
            Compute::Cpu => {
                let rate = self.evaluations(1)?;
                self.add("inference", "evaluations, one thread", rate / 1e3, "k/s");
                // Products of bytes are no floating-point work, and faster than its peak.
                let precise = match self.config.model.precision {
                    Precision::F32 => rate,
                    _ => self.evaluations_in(1, Precision::F32)?,
                };
                let peak = || {
                    let flops = || Ok(peak_flops(InstructionSet::best(), 10_000_000_000) as u64);
                    let Ok(peak) = self.best_rate::<Infallible>(flops);
                    peak
                };
                let (share, of_peak) = share_of_peak(precise * flops, peak);
                let what = "evaluations in 32 bits, one thread";
                self.add("inference", what, precise / 1e3, "k/s");
                let what = "floating-point work in 32 bits";
                self.add("inference", what, precise * flops / 1e9, "GFLOP/s");
                self.add("inference", of_peak, share, "%");
                if self.threads > 1 {
                    let rate = self.evaluations(self.threads)?;
                    let what = format!("evaluations, {} threads", self.threads);
                    self.add("inference", &what, rate / 1e3, "k/s");
                }
            }
            Compute::Device(_) => {
                let rate = self.evaluations(self.threads)?;
                self.add("inference", "evaluations on the device", rate / 1e3, "k/s");
                let what = "floating-point work";
                self.add("inference", what, rate * flops / 1e9, "GFLOP/s");
            }
        }
        Ok(())
    }

    /// Evaluations per second with as many requesting threads as self-play has with `threads`, each
    /// with its own batches.
    pub(super) fn evaluations(&self, threads: usize) -> Result<f64> {
        self.evaluations_in(threads, self.config.model.precision)
    }

    /// As [`evaluations`](Bench::evaluations), with the network in another precision.
    fn evaluations_in(&self, threads: usize, precision: Precision) -> Result<f64> {
        let batch_size = self.config.selfplay.concurrent_games;
        let evaluators = self.evaluators(precision, threads, batch_size)?;
        let mut askers = self.askers(&evaluators, threads);
        Ok(self.best_rate(|| askers.ask())?)
    }

    /// Requesters: as many as self-play has with `threads`, each with its own batch.
    pub(super) fn askers(&self, evaluators: &Evaluators, threads: usize) -> Askers {
        let n_positions = evaluators.asked(self.config.selfplay.concurrent_games);
        let asker = || (evaluators.uncached(), self.positions(n_positions));
        let n_askers = evaluators.askers(threads);
        Askers(iter::repeat_with(asker).take(n_askers).collect())
    }

    /// `n_positions` positions of one or more games.
    fn positions(&self, n_positions: usize) -> Batch {
        let mut batch = Batch::new();
        let mut position = Position::start(self.variant);
        for ply in 0..n_positions {
            let moves = position.legal_moves();
            batch.push(&position, 0, &moves);
            position = position.play(moves[ply % moves.len()]);
            if position.outcome().is_some() {
                position = Position::start(self.variant);
            }
        }
        batch
    }
}

/// The share in percent that `work` has of the peak, and the name of that figure. Other work on the
/// machine may lower the peak below the work, so it is measured again then.
fn share_of_peak(work: f64, peak: impl FnMut() -> f64) -> (f64, &'static str) {
    let mut peaks = iter::repeat_with(peak).take(PEAKS);
    let mut peak: f64 = 0.0;
    while peak < work
        && let Some(again) = peaks.next()
    {
        peak = peak.max(again);
    }
    let what = match work <= peak {
        true => "of this core's f32 peak",
        false => "of this core's f32 peak (too low: the machine was busy)",
    };
    (100.0 * work / peak, what)
}

/// Evaluators, each used by its own thread.
pub(super) struct Askers(Vec<(Box<dyn Evaluator + Send>, Batch)>);

impl Askers {
    /// Evaluates the same positions for one round, and returns the number of results.
    pub(super) fn ask(&mut self) -> std::result::Result<u64, EvaluatorError> {
        thread::scope(|scope| {
            let askers: Vec<_> = self
                .0
                .iter_mut()
                .map(|(evaluator, batch)| scope.spawn(|| ask(evaluator, batch)))
                .collect();
            let done = askers.into_iter().map(|asker| {
                let done = asker.join();
                done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            done.sum()
        })
    }
}

/// Evaluates the same positions for one round, and returns the number of results.
fn ask(
    evaluator: &mut impl Evaluator,
    batch: &mut Batch,
) -> std::result::Result<u64, EvaluatorError> {
    let (started, mut done) = (Instant::now(), 0);
    while done == 0 || started.elapsed() < ROUND {
        evaluator.evaluate(batch)?;
        done += batch.len() as u64;
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_peak_is_measured_again_and_explained() {
        let of = |peaks: [f64; 4]| {
            let mut peaks = peaks.into_iter();
            share_of_peak(10.0, || peaks.next().expect("four measurements"))
        };
        assert_eq!(of([20.0, 0.0, 0.0, 0.0]), (50.0, "of this core's f32 peak"));
        assert_eq!(of([4.0, 5.0, 40.0, 0.0]), (25.0, "of this core's f32 peak"));
        let (share, what) = of([4.0, 8.0, 5.0, 4.0]);
        assert!(share > 100.0 && what.contains("busy"), "{share} % {what}");
    }
}
