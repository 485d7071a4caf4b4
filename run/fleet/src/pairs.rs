//! Pairs of a match in chunks.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use eval::{Arena, GatePair, Opening, PlayerFactory, play_match};
use rules::{Position, Variant};
use share::{Content, MatchWork, Start};
use types::Seed;

use crate::chunks::{ChunkSource, Finished};
use crate::{FleetError, Result};

/// The pairs of a match, as a gate stores them.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    /// \[pair\] opening of its games.
    pub(crate) openings: Arc<[Opening]>,
    /// The seed of the match.
    pub(crate) seed: Seed,
}

impl Pairs {
    /// The pairs of a shared match.
    pub(crate) fn of(variant: Variant, work: &MatchWork) -> Result<Pairs> {
        Ok(Pairs {
            openings: openings(variant, &work.openings)?.into(),
            seed: Seed::new(work.seed),
        })
    }

    /// Plays chunks until there are none left, each thread one at a time, and hands each to
    /// `finished`. Returns the number of pairs.
    pub(crate) fn play(
        &self,
        sides: [&PlayerFactory<'_>; 2],
        source: &ChunkSource<'_>,
        finished: &mut Finished<'_, GatePair>,
    ) -> Result<u64> {
        let play = |chunk: u32| {
            let numbers = source.assignment.numbers(chunk);
            let arena = Arena {
                first_pair: numbers.start as usize,
                ..Arena::new(self.seed, 1, source.stop)
            };
            let openings = &self.openings[numbers.start as usize..numbers.end as usize];
            let to_the_end = &mut |_: &_| ControlFlow::Continue(());
            let result = play_match(sides, openings, &arena, to_the_end)?;
            let (pairs, _) = result.games.as_chunks::<2>();
            // A chunk that was stopped early is incomplete.
            let is_whole = pairs.len() == numbers.len();
            Ok(is_whole.then(|| pairs.iter().map(GatePair::new).collect()))
        };
        source.play_each(&play, finished)
    }
}

/// Openings in their shared form.
pub(crate) fn starts(openings: &[Opening]) -> Vec<Start> {
    let start = |opening: &Opening| Start {
        fen: opening.start.to_fen(),
        moves: opening.moves_text(),
    };
    openings.iter().map(start).collect()
}

/// Openings from their shared form.
pub(crate) fn openings(variant: Variant, starts: &[Start]) -> Result<Vec<Opening>> {
    let opening = |start: &Start| {
        let position = Position::from_fen(variant, &start.fen).ok()?;
        Opening::from_text(position, &start.moves)
    };
    let openings: Option<Vec<Opening>> = starts.iter().map(opening).collect();
    let none = || FleetError::Missing("the fleet's match has an impossible opening".into());
    openings.ok_or_else(none)
}

impl Content for Pairs {
    type Item = GatePair;

    fn pack(&self, pairs: &[GatePair]) -> std::result::Result<Vec<u8>, String> {
        serde_json::to_vec(pairs).map_err(|error| error.to_string())
    }

    fn unpack(
        &self,
        numbers: Range<u32>,
        bytes: &[u8],
    ) -> std::result::Result<Vec<GatePair>, String> {
        let pairs: Vec<GatePair> =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if pairs.len() != numbers.len() {
            let (found, expected) = (pairs.len(), numbers.len());
            return Err(format!("it has {found} pairs, not {expected}"));
        }
        for (pair, number) in pairs.iter().zip(numbers) {
            let opening = self.openings.get(number as usize);
            let is_played = || opening.is_some_and(|opening| pair.restore(opening).is_some());
            if pair.pair != number as usize || !is_played() {
                return Err(format!(
                    "its pair {} is not pair {number} of this match",
                    pair.pair
                ));
            }
        }
        Ok(pairs)
    }

    fn describe(&self, pair: &GatePair) -> String {
        let [first, second] = &pair.games;
        format!(
            "pair {} with {} and {} half points, {} and {}",
            pair.pair, first.half_points, second.half_points, first.moves, second.moves
        )
    }
}
