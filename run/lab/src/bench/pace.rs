//! How fast this machine would train with several networks, measured in seconds.

use serde::{Deserialize, Serialize};
use store::ReplayWindow;

use super::Bench;
use crate::Result;

/// How fast a machine trains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Positions a second in self-play, forced ones included.
    pub positions_per_s: f64,
    /// Samples a second that optimiser steps learn from.
    pub samples_per_s: f64,
}

/// Measures with one network after the other: games with the first one only, since games of large networks take
/// long; what a position takes with the others follows from how fast they answer.
pub struct Pacer {
    window: ReplayWindow,
    first: First,
}

/// What the first network was measured to do.
struct First {
    pace: Pace,
    evaluations_per_s: f64,
    /// Evaluations for each position that were not remembered.
    evaluations: f64,
    simulations: f64,
    positions_per_game: f64,
}

impl Pacer {
    /// Plays some games with an untrained network, and learns from them.
    ///
    /// # Errors
    /// When the network cannot be computed.
    pub fn new(bench: &Bench) -> Result<Pacer> {
        let mut window = ReplayWindow::new(bench.config.window.clone());
        let (stats, elapsed, remembered) = bench.play(&mut window)?;
        let plies = stats.plies as f64;
        let first = First {
            pace: Pace {
                positions_per_s: plies / elapsed.as_secs_f64(),
                samples_per_s: bench.learnt_a_second(&window)?,
            },
            evaluations_per_s: bench.evaluations(bench.threads)?,
            evaluations: stats.evaluations as f64 * (1.0 - remembered) / plies,
            simulations: bench.mean_simulations(),
            positions_per_game: stats.mean_plies(),
        };
        Ok(Pacer { window, first })
    }

    /// The pace with the first network.
    pub fn first(&self) -> Pace {
        self.first.pace
    }

    /// Positions of a game of untrained networks.
    pub fn positions_per_game(&self) -> f64 {
        self.first.positions_per_game
    }

    /// The pace with another network and other simulations.
    ///
    /// # Errors
    /// As [`Pacer::new`].
    pub fn pace(&self, bench: &Bench) -> Result<Pace> {
        let first = &self.first;
        let network = first.evaluations
            * (1.0 / bench.evaluations(bench.threads)? - 1.0 / first.evaluations_per_s);
        // Where the first network's answers overlap with the search, a slightly faster one gains nothing.
        let position =
            (1.0 / first.pace.positions_per_s + network).max(0.1 / first.pace.positions_per_s);
        Ok(Pace {
            positions_per_s: first.simulations / bench.mean_simulations() / position,
            samples_per_s: bench.learnt_a_second(&self.window)?,
        })
    }
}

impl Bench {
    /// Simulations of a search in self-play, on average.
    fn mean_simulations(&self) -> f64 {
        let full = self.config.selfplay.full_fraction;
        let fast = f64::from(self.config.selfplay.fast_simulations);
        full * f64::from(self.config.search.simulations) + (1.0 - full) * fast
    }
}
