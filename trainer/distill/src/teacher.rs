//! The evaluation that a round learns from.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use alphabeta::MaterialBalance;
use engine::{AlphaBetaConfig, AlphaBetaPlayer, Player};
use nnue::Network;
use store::Record;

use crate::play::{PlayJob, play_games};
use crate::relabel::{ScoreJob, search_scores};

/// An evaluation that plays games and scores positions by alpha-beta search.
///
/// The search is generic over its evaluation and compiled here for both kinds, not in every crate
/// that asks for one.
#[derive(Clone)]
pub enum Teacher {
    /// Material only.
    Material,
    /// A learned evaluation.
    Network(Arc<Network>),
}

impl Teacher {
    /// Plays games on rayon's threads and passes their records on in order, until `stop` is set or
    /// `sink` breaks. Each game depends only on the header's seed and generation, its number, the
    /// evaluation and the configuration.
    pub fn play_games(
        &self,
        job: PlayJob<'_>,
        stop: &AtomicBool,
        sink: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) {
        match self {
            Teacher::Material => play_games(job, &MaterialBalance, stop, sink),
            Teacher::Network(network) => play_games(job, network, stop, sink),
        }
    }

    /// Searches positions on rayon's threads and passes their scores on in order, until `stop` is
    /// set or `sink` breaks.
    ///
    /// Each score depends only on the pieces, the evaluation and the depth: the search sees no
    /// history and starts with draw counters at 0, as an evaluation does.
    pub fn search_scores(
        &self,
        job: ScoreJob<'_>,
        stop: &AtomicBool,
        sink: &mut dyn FnMut(&[i16]) -> ControlFlow<()>,
    ) {
        match self {
            Teacher::Material => search_scores(job, &MaterialBalance, stop, sink),
            Teacher::Network(network) => search_scores(job, network, stop, sink),
        }
    }

    /// The evaluation as a player.
    pub fn player(&self, name: &str, config: AlphaBetaConfig) -> Box<dyn Player> {
        match self {
            Teacher::Material => Box::new(AlphaBetaPlayer::new(name, MaterialBalance, config)),
            Teacher::Network(network) => {
                Box::new(AlphaBetaPlayer::new(name, Arc::clone(network), config))
            }
        }
    }
}
