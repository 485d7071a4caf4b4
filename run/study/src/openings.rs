//! Openings that a player finds even.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use eval::{Opening, openings};
use roster::PlayerSpec;
use rules::Variant;
use run::{Result, RunError, StageProgress};

use crate::analysis::{Analysts, Limit, Seats, pool, valueless};

/// A search for openings that a player finds even.
#[derive(Clone, Debug)]
pub struct EvenOpenings {
    /// The game.
    pub variant: Variant,
    /// Plies of an opening.
    pub plies: usize,
    /// The player that searches; by default the strongest of the game.
    pub player: Option<PlayerSpec>,
    /// Nodes for each opening; by default the player's usual number.
    pub nodes: Option<u64>,
    /// The largest distance from an even score, as a percentage of a point.
    pub within: f32,
    /// Openings that are searched at a time.
    pub threads: usize,
}

/// The balanced openings that the player finds even, in the order of generation. They do not depend
/// on the number of threads.
///
/// # Errors
/// If the player cannot search or does not value positions, or on `stop`.
pub fn even(
    request: &EvenOpenings,
    on_progress: &mut dyn FnMut(&StageProgress),
    stop: &AtomicBool,
) -> Result<Vec<Opening>> {
    let limit = Limit::of(request.nodes, None);
    let analysts = Arc::new(Analysts::new(request.player.as_ref(), limit)?);
    let balanced = openings::balanced(request.variant, request.plies);
    let total = balanced.len() as u64;
    let mut stage = StageProgress::new("searching", 0, total, String::new());
    let mut even = Vec::new();
    let worker = || {
        let mut seats = Seats::new(Arc::clone(&analysts));
        move |opening: Opening| {
            let findings = seats.analyze(&opening.game(), 1, None)?;
            Ok((opening, findings.best().value))
        }
    };
    let mut found = |searched: Result<(Opening, Option<types::Wdl>)>| -> Result<()> {
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Missing("stopped".to_owned()));
        }
        let (opening, value) = searched?;
        let value = value.ok_or_else(valueless)?;
        // A point is as much as the distance from a loss to a win.
        if value.value().abs() <= request.within / 50.0 {
            even.push(opening);
        }
        stage.done += 1;
        stage.note = format!("{} even", even.len());
        on_progress(&stage);
        Ok(())
    };
    pool::in_order(balanced.into_iter(), request.threads, worker, &mut found)?;
    Ok(even)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_openings_are_within_a_small_distance() {
        let request = |within, threads| EvenOpenings {
            variant: Variant::ALL[0],
            plies: 1,
            player: None,
            nodes: Some(500),
            within,
            threads,
        };
        let search = |within, threads| {
            let mut n_told = 0;
            let stop = AtomicBool::new(false);
            let found = even(&request(within, threads), &mut |_| n_told += 1, &stop).unwrap();
            assert_eq!(n_told, 7);
            found
        };
        assert_eq!(search(50.0, 2).len(), 7);
        let few = search(3.0, 2);
        assert!(few.len() < 7, "{few:?}");
        assert_eq!(search(3.0, 1), few);
        let mut random = request(5.0, 1);
        random.player = Some("random".parse().unwrap());
        assert!(even(&random, &mut |_| (), &AtomicBool::new(false)).is_err());
    }
}
