//! The match that decides whether a round is kept.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use alphabeta::Resources;
use distill::Teacher;
use engine::AlphaBetaConfig;
use eval::{Arena, PlayerFactory, openings, play_match};
use nnue::Network;
use types::Seed;

use super::round::Round;
use super::{Contest, DistillEvent, DistillObserver};
use crate::Result;
use run::StageProgress;

/// Pairs of games.
const PAIRS: usize = 100;
/// Positions per move, as a multiple of those in the training games.
const EFFORT: u64 = 5;
/// Size of each player's transposition table.
const TABLE_BYTES: usize = 8 << 20;

impl Round<'_> {
    /// Plays a network against the best evaluation before it, both with the same number of
    /// positions per move; `None` if it was stopped.
    pub(super) fn compare(
        &self,
        network: Network,
        observer: &mut DistillObserver<'_>,
    ) -> Result<Option<Contest>> {
        let nodes = EFFORT * self.settings.play.nodes;
        let seed = Seed::new(self.settings.learning.seed);
        let arena = Arena {
            pairs_at_once: 1,
            ..Arena::new(seed, self.budget.threads, self.stop)
        };
        let new = player("new", Teacher::Network(Arc::new(network)), nodes);
        let old = player("old", self.best.teacher.clone(), nodes);
        let openings = openings::sample(self.variant, PAIRS, seed);
        let total = openings.len() as u64;
        let result = play_match([&new, &old], &openings, &arena, &mut |result| {
            let note = format!("Elo {}", result.elo());
            let name = "Against the previous best";
            let progress = StageProgress::new(name, result.pairs_played(), total, note);
            observer(&DistillEvent::Progress(progress));
            ControlFlow::Continue(())
        })?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(Some(Contest {
            against: self.best.name.clone(),
            nodes,
            counts: result.total(),
            elo: result.elo(),
        }))
    }
}

fn player(name: &'static str, teacher: Teacher, nodes: u64) -> PlayerFactory<'static> {
    let config = AlphaBetaConfig {
        resources: Resources {
            table_bytes: TABLE_BYTES,
            threads: 1,
        },
        depth: None,
        nodes: Some(nodes),
        usual_nodes: nodes,
    };
    PlayerFactory::new(name, move || Ok(teacher.player(name, config)))
}
