//! Batches of pairs of a tournament in chunks.

use std::ops::Range;
use std::sync::Arc;

use eval::{Arena, GatePair, MatchGame, PairBatch, PlayerFactory};
use rules::Variant;
use serde::{Deserialize, Serialize};
use share::{Content, MeetingBatch, MeetingsWork};
use types::{Seed, Wdl};

use crate::Result;
use crate::chunks::{ChunkSource, Finished};
use crate::pairs::{openings, starts};

/// The batches of an assignment.
#[derive(Clone, Debug)]
pub(crate) struct Batches(pub(crate) Arc<[PairBatch]>);

/// A pair with its players' evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SharedPair {
    pair: GatePair,
    /// \[game, move\] the bits of win, draw and loss.
    values: [Vec<Option<[u32; 3]>>; 2],
}

impl SharedPair {
    fn new(games: &[MatchGame; 2]) -> SharedPair {
        let bits = |value: &Option<Wdl>| value.map(|v| [v.win, v.draw, v.loss].map(f32::to_bits));
        SharedPair {
            pair: GatePair::new(games),
            values: [0, 1].map(|game: usize| games[game].values.iter().map(bits).collect()),
        }
    }

    /// The games with this number from this opening; `None` if they do not match.
    fn restore(&self, number: usize, opening: &eval::Opening) -> Option<[MatchGame; 2]> {
        let mut games = self
            .pair
            .restore(opening)
            .filter(|_| self.pair.pair == number)?;
        let value = |bits: &Option<[u32; 3]>| {
            bits.map(|bits| {
                let [win, draw, loss] = bits.map(f32::from_bits);
                Wdl { win, draw, loss }
            })
        };
        for (game, values) in games.iter_mut().zip(&self.values) {
            let is_whole = values.len() == game.moves.len();
            game.values = is_whole.then(|| values.iter().map(value).collect())?;
        }
        Some(games)
    }
}

impl Batches {
    /// Batches that were shared.
    pub(crate) fn of(variant: Variant, work: &MeetingsWork) -> Result<Batches> {
        let batch = |batch: &MeetingBatch| {
            Ok(PairBatch {
                sides: batch.sides,
                seed: Seed::new(batch.seed),
                first_pair: batch.first_pair,
                openings: openings(variant, &batch.openings)?,
            })
        };
        let batches: Result<Vec<PairBatch>> = work.batches.iter().map(batch).collect();
        Ok(Batches(batches?.into()))
    }

    /// The batches as they are shared.
    pub(crate) fn shared(&self) -> Vec<MeetingBatch> {
        let batch = |batch: &PairBatch| MeetingBatch {
            sides: batch.sides,
            seed: batch.seed.get(),
            first_pair: batch.first_pair,
            openings: starts(&batch.openings),
        };
        self.0.iter().map(batch).collect()
    }

    /// The games of a batch; `None` if they do not start from its openings.
    pub(crate) fn restore(&self, number: usize, pairs: &[SharedPair]) -> Option<Vec<MatchGame>> {
        let batch = self
            .0
            .get(number)
            .filter(|batch| batch.openings.len() == pairs.len())?;
        let pairs = pairs.iter().zip(&batch.openings).enumerate();
        let games =
            pairs.map(|(place, (pair, opening))| pair.restore(batch.first_pair + place, opening));
        Some(
            games
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect(),
        )
    }

    /// Plays chunks until there are none left, each thread one at a time, and hands each to
    /// `finished`. Returns the number of batches.
    pub(crate) fn play(
        &self,
        players: &[PlayerFactory<'_>],
        source: &ChunkSource<'_>,
        finished: &mut Finished<'_, Vec<SharedPair>>,
    ) -> Result<u64> {
        let play = |chunk: u32| {
            let mut items = Vec::new();
            for number in source.assignment.numbers(chunk) {
                let batch = &self.0[number as usize];
                let arena = Arena::new(batch.seed, 1, source.stop);
                let games = batch.play(players, &arena)?;
                let (pairs, _) = games.as_chunks::<2>();
                // A batch that was stopped early is incomplete.
                if pairs.len() != batch.openings.len() {
                    return Ok(None);
                }
                items.push(pairs.iter().map(SharedPair::new).collect());
            }
            Ok(Some(items))
        };
        source.play_each(&play, finished)
    }
}

impl Content for Batches {
    type Item = Vec<SharedPair>;

    fn pack(&self, batches: &[Vec<SharedPair>]) -> std::result::Result<Vec<u8>, String> {
        serde_json::to_vec(batches).map_err(|error| error.to_string())
    }

    fn unpack(
        &self,
        numbers: Range<u32>,
        bytes: &[u8],
    ) -> std::result::Result<Vec<Vec<SharedPair>>, String> {
        let batches: Vec<Vec<SharedPair>> =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if batches.len() != numbers.len() {
            let (found, expected) = (batches.len(), numbers.len());
            return Err(format!("it has {found} batches, not {expected}"));
        }
        let mut all = numbers.zip(&batches);
        match all.find(|(number, pairs)| self.restore(*number as usize, pairs).is_none()) {
            None => Ok(batches),
            Some((number, _)) => Err(format!("its games do not belong to batch {number}")),
        }
    }

    fn describe(&self, pairs: &Vec<SharedPair>) -> String {
        let moves = pairs.iter().flat_map(|shared| &shared.pair.games);
        let moves: Vec<&str> = moves.map(|game| game.moves.as_str()).collect();
        let first = pairs.first().map_or(0, |shared| shared.pair.pair);
        format!("a batch from pair {first} on with {}", moves.join(" and "))
    }
}
