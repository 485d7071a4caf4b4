//! Estimates the training speed of this machine with several networks within seconds.

use run::mean_simulations;
use serde::{Deserialize, Serialize};
use store::ReplayWindow;

use super::Bench;
use crate::Result;

/// Training speed of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Self-play positions per second, including forced moves.
    pub positions_per_s: f64,
    /// Training samples per second of the optimizer.
    pub samples_per_s: f64,
}

/// Measures several networks. Only the first one plays games, because games of large networks take
/// long; the time per position of the others follows from their inference speed.
pub struct Pacer {
    window: ReplayWindow,
    /// The pace of the first network.
    pub first: Pace,
    /// Positions per game of untrained networks.
    pub positions_per_game: f64,
    evaluations_per_s: f64,
    /// Evaluations per position of the first network, without cache hits.
    evaluations: f64,
    simulations: f64,
}

impl Pacer {
    /// Plays some games with an untrained network, and trains on them.
    ///
    /// # Errors
    /// If the network cannot be computed.
    pub fn new(bench: &Bench) -> Result<Pacer> {
        let played = bench.play()?;
        let (stats, plies) = (&played.stats, played.stats.plies as f64);
        Ok(Pacer {
            first: Pace {
                positions_per_s: plies / played.elapsed.as_secs_f64(),
                samples_per_s: bench.learned_a_second(&played.window)?,
            },
            evaluations_per_s: bench.evaluations(bench.threads)?,
            evaluations: stats.evaluations as f64 * (1.0 - played.hit_rate) / plies,
            simulations: mean_simulations(&bench.config),
            positions_per_game: stats.mean_plies(),
            window: played.window,
        })
    }

    /// The pace with another network and other simulations.
    ///
    /// # Errors
    /// As [`Pacer::new`].
    pub fn pace(&self, bench: &Bench) -> Result<Pace> {
        let network = self.evaluations
            * (1.0 / bench.evaluations(bench.threads)? - 1.0 / self.evaluations_per_s);
        // If inference of the first network overlaps with the search, a slightly faster one gains
        // nothing.
        let first = self.first.positions_per_s;
        let position = (1.0 / first + network).max(0.1 / first);
        Ok(Pace {
            positions_per_s: self.simulations / mean_simulations(&bench.config) / position,
            samples_per_s: bench.learned_a_second(&self.window)?,
        })
    }
}
