//! The samples of one game in compact form.

use rules::Position;

use super::targets::{end_for_black, seen_by, weights};
use super::{Sample, WindowConfig};
use crate::record::{self, Record, RecordedSearch, Replay, Wdl8};

/// The samples of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct GameSamples {
    entries: Vec<Entry>,
    /// The policy targets of all entries, concatenated.
    policies: Vec<u8>,
    /// The result of the game, from Black's point of view.
    end: Option<Wdl8>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    position: Position,
    /// Weight of the game's entries up to this one, in 1/[`WEIGHT_ONE`].
    weight_end: u32,
    /// End of this entry's policy in `policies`.
    policy_end: u32,
    root: Wdl8,
    repetitions: u8,
}

/// The weight of an average sample.
const WEIGHT_ONE: f32 = 256.0;

impl GameSamples {
    /// The samples of a valid record.
    pub(super) fn new(record: &Record, config: &WindowConfig) -> GameSamples {
        let mut samples = GameSamples::default();
        let Some(end) = end_for_black(record) else {
            return samples;
        };
        samples.end = Some(end);
        let mut replay = Replay::new(record.start);
        for (made, weight) in record.plies.iter().zip(weights(record, config)) {
            if let RecordedSearch::Full { value, policy, .. } = &made.search {
                samples.policies.extend(policy.as_bytes());
                samples.entries.push(Entry {
                    position: *replay.game().position(),
                    weight_end: samples.weight() + (weight * WEIGHT_ONE).round() as u32,
                    policy_end: samples.policies.len() as u32,
                    root: *value,
                    repetitions: replay.game().repetitions().min(255) as u8,
                });
            }
            replay.play(made.mv);
        }
        samples.entries.shrink_to_fit();
        samples.policies.shrink_to_fit();
        samples
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn weight(&self) -> u32 {
        self.entries.last().map_or(0, |entry| entry.weight_end)
    }

    pub(super) fn size_bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.policies)
    }

    /// The sample at this point of the game's cumulative weight.
    pub(super) fn sample(&self, at: u32) -> Sample {
        let index = self.entries.partition_point(|entry| entry.weight_end <= at);
        let entry = &self.entries[index];
        let policy_start = index
            .checked_sub(1)
            .map_or(0, |i| self.entries[i].policy_end);
        let policy = &self.policies[policy_start as usize..entry.policy_end as usize];
        let end = self.end.unwrap_or(Wdl8::DRAW);
        let mut moves = entry.position.legal_moves();
        moves.sort_canonical();
        Sample {
            position: entry.position,
            repetitions: entry.repetitions,
            moves: moves.to_vec(),
            policy: record::probabilities(policy),
            outcome: seen_by(entry.position.turn(), end).probabilities(),
            root: entry.root.probabilities(),
        }
    }
}
