//! Settings of matches that do not belong to a player.

use std::sync::atomic::AtomicBool;

use types::Seed;

use crate::adjudication::Adjudication;

/// Settings of matches that do not belong to a player: seed, threads, adjudication.
#[derive(Clone, Copy, Debug)]
pub struct Arena<'a> {
    /// Seeds the players' random choices.
    pub seed: Seed,
    /// Threads, at least one. They do not influence results.
    pub threads: usize,
    /// Pairs that one thread plays at the same time, at least one: more give larger batches, and
    /// more wasted games when a test stops early. They do not influence results.
    pub pairs_at_once: usize,
    /// Number of the first pair: above 0 when a match continues.
    pub first_pair: usize,
    /// When games end early.
    pub adjudication: Adjudication,
    /// Stops matches between two moves when it becomes true.
    pub stop: &'a AtomicBool,
}
