//! Settings of matches that do not belong to a player, and the pairs that are played under them.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use engine::GAMES_AT_ONCE;
use types::Seed;

use super::player_factory::PlayerFactory;
use crate::adjudication::Adjudication;
use crate::openings::Opening;

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

/// The pairs of a match that remain to be played.
#[derive(Clone, Copy)]
pub struct OpenPairs<'a> {
    /// The players.
    pub sides: [&'a PlayerFactory<'a>; 2],
    /// The opening of each pair of the match.
    pub openings: &'a [Opening],
    /// Seed, and when to stop.
    pub arena: &'a Arena<'a>,
    /// Indices of openings whose pairs need not be played.
    pub known: &'a HashSet<usize>,
}
