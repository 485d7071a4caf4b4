//! The match that decides whether a round is kept.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use alphabeta::Resources;
use distill::Teacher;
use engine::AlphaBetaConfig;
use eval::{Arena, PlayerFactory, openings, play_match};
use nnue::Network;

use super::{Contest, DistillEvent, DistillObserver};
use crate::Result;
use run::StageProgress;

/// Pairs of games.
const PAIRS: usize = 100;
/// Size of each player's transposition table.
const TABLE_BYTES: usize = 8 << 20;

/// A named evaluation.
pub(super) struct Rival {
    pub(super) name: String,
    pub(super) teacher: Teacher,
}

/// Plays a network against the best evaluation before it, both with the same number of positions
/// per move; `None` if the arena stopped the match.
pub(super) fn compare(
    network: Network,
    rival: &Rival,
    nodes: u64,
    arena: &Arena<'_>,
    observer: &mut DistillObserver<'_>,
) -> Result<Option<Contest>> {
    let variant = network.variant();
    let new = player("new", Teacher::Network(Arc::new(network)), nodes);
    let old = player("old", rival.teacher.clone(), nodes);
    let openings = openings::sample(variant, PAIRS, arena.seed);
    let total = openings.len() as u64;
    let result = play_match([&new, &old], &openings, arena, &mut |result| {
        let note = format!("Elo {}", result.elo());
        let name = "Against the previous best";
        let progress = StageProgress::new(name, result.pairs_played(), total, note);
        observer(&DistillEvent::Progress(progress));
        ControlFlow::Continue(())
    })?;
    if arena.stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    Ok(Some(Contest {
        against: rival.name.clone(),
        nodes,
        counts: result.total(),
        elo: result.elo(),
    }))
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
