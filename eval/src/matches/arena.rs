//! Settings of matches that do not belong to a player.

use std::sync::atomic::AtomicBool;

use engine::GAMES_AT_ONCE;
use types::Seed;

use crate::adjudication::Adjudication;

/// Settings of matches that do not belong to a player: seed, threads, adjudication.
#[derive(Clone, Copy, Debug)]
pub struct Arena<'a> {
    /// Seed of the players' random choices.
    pub seed: Seed,
    /// Number of threads, at least one. Does not influence results.
    pub threads: usize,
    /// Number of pairs that one thread plays concurrently, at least one: more give larger batches,
    /// but more wasted games when a test stops early. Does not influence results.
    pub pairs_at_once: usize,
    /// Number of the first pair: above 0 when a match continues.
    pub first_pair: usize,
    /// Adjudication rules.
    pub adjudication: Adjudication,
    /// Stops matches between two moves when it becomes true.
    pub stop: &'a AtomicBool,
}

impl<'a> Arena<'a> {
    /// An arena in which every game is played to its end, as many at once as make full batches.
    #[must_use]
    pub fn new(seed: Seed, threads: usize, stop: &'a AtomicBool) -> Arena<'a> {
        Arena {
            seed,
            threads,
            pairs_at_once: GAMES_AT_ONCE / 2,
            first_pair: 0,
            adjudication: Adjudication::OFF,
            stop,
        }
    }
}
