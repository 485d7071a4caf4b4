//! The transposition table, shared by all threads.
//!
//! An entry is two words: the key combined with the data by exclusive or, and the data (Hyatt and
//! Mann, "A lock-less transposition table implementation for parallel search", 2002). If two
//! threads write at the same time, the words do not match and the entry counts as absent.

use std::sync::atomic::{AtomicU64, Ordering};

use rules::Move;

use crate::score::{MAX_PLIES, WIN, is_decided};

const WAYS: usize = 4;
/// The number of values of the search generation.
const GENERATIONS: u8 = 64;
/// An entry for the same position is kept if it is deeper than the new one by more than this.
const KEPT_ABOVE: i32 = 3;
/// No evaluation is stored.
const NO_EVALUATION: i16 = i16::MIN;

/// One cache line: (key xor data, data) four times.
#[repr(align(64))]
#[derive(Default)]
struct Bucket([AtomicU64; 2 * WAYS]);

/// A table of fixed size.
pub(crate) struct Table {
    buckets: Box<[Bucket]>,
    /// The number of buckets in use by the current search.
    n_used: usize,
    generation: u8,
}

/// The relation of a stored score to the true score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// No score, only a move.
    None = 0,
    /// The score is at most this.
    Upper = 1,
    /// The score is at least this.
    Lower = 2,
    /// The exact score.
    Exact = 3,
}

/// The stored data of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) mv: PackedMove,
    /// Distances to wins count from this position, not from the root.
    pub(crate) score: i32,
    pub(crate) evaluation: Option<i32>,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
}

/// A move in 16 bits, enough to identify it among the legal moves of its position; 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PackedMove(u16);

impl PackedMove {
    pub(crate) const NONE: PackedMove = PackedMove(0);

    /// Different captures between the same squares differ in four bits hashed from their victims.
    #[inline]
    pub(crate) fn new(mv: &Move) -> PackedMove {
        let victims = mv.captured.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
        PackedMove(mv.from.index() as u16 | (mv.to.index() as u16) << 6 | (victims as u16) << 12)
    }
}

impl Entry {
    /// True if the score answers a search of this depth with this window.
    #[inline]
    pub(crate) fn answers(&self, depth: i32, alpha: i32, beta: i32, score: i32) -> bool {
        self.depth >= depth
            && match self.bound {
                Bound::None => false,
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            }
    }

    fn pack(&self, generation: u8) -> u64 {
        let evaluation = self.evaluation.map_or(NO_EVALUATION, |score| score as i16);
        u64::from(self.mv.0)
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(evaluation as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | u64::from(self.bound as u8 | generation << 2) << 56
    }

    fn unpack(data: u64) -> Entry {
        let evaluation = (data >> 32) as i16;
        Entry {
            mv: PackedMove(data as u16),
            score: i32::from((data >> 16) as i16),
            evaluation: (evaluation != NO_EVALUATION).then_some(i32::from(evaluation)),
            depth: i32::from((data >> 48) as u8),
            bound: match data >> 56 & 3 {
                0 => Bound::None,
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
        }
    }
}

/// A score relative to the position: distances to wins count from here.
#[inline]
pub(crate) fn to_node(score: i32, ply: usize) -> i32 {
    match score {
        _ if !is_decided(score) => score,
        _ if score > 0 => score + ply as i32,
        _ => score - ply as i32,
    }
    .clamp(-WIN, WIN)
}

/// A score relative to the root, `ply` plies above the position: inverse of [`to_node`].
#[inline]
pub(crate) fn from_node(score: i32, ply: usize) -> i32 {
    debug_assert!(ply <= MAX_PLIES);
    match score {
        _ if !is_decided(score) => score,
        _ if score > 0 => score - ply as i32,
        _ => score + ply as i32,
    }
}

impl Table {
    /// A table of at most `bytes` bytes, but at least one bucket.
    pub(crate) fn new(bytes: usize) -> Table {
        let n_buckets = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.resize_with(n_buckets, Bucket::default);
        Table {
            buckets: buckets.into(),
            n_used: n_buckets,
            generation: 0,
        }
    }

    /// Clears the table, and limits it to the part that a search of `nodes` positions can fill.
    pub(crate) fn clear(&mut self, nodes: u64) {
        let enough = usize::try_from(nodes.max(WAYS as u64)).unwrap_or(usize::MAX) / 2;
        self.n_used = enough.min(self.buckets.len());
        self.generation = 0;
        for bucket in &mut self.buckets[..self.n_used] {
            *bucket = Bucket::default();
        }
    }

    /// Starts a new search generation, so that older entries are replaced first.
    pub(crate) fn next_generation(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.n_used as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Reads part of the bucket of a key, as a prefetch: by the time the key is probed, the memory
    /// has arrived.
    #[inline]
    pub(crate) fn touch(&self, key: u64) -> u64 {
        self.bucket(key).0[0].load(Ordering::Relaxed)
    }

    /// The entry stored for a key.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<Entry> {
        let Bucket(words) = self.bucket(key);
        words.chunks_exact(2).find_map(|pair| {
            let data = pair[1].load(Ordering::Relaxed);
            (pair[0].load(Ordering::Relaxed) ^ data == key && data != 0)
                .then(|| Entry::unpack(data))
        })
    }

    /// Stores `entry`. It replaces the entry of the same position, unless that is much deeper, or
    /// else the least valuable entry of the bucket: shallow, or from an earlier search.
    #[inline]
    pub(crate) fn store(&self, key: u64, entry: &Entry) {
        let Bucket(words) = self.bucket(key);
        let (mut worst, mut least) = (0, i32::MAX);
        for way in 0..WAYS {
            let data = words[2 * way + 1].load(Ordering::Relaxed);
            if words[2 * way].load(Ordering::Relaxed) ^ data == key {
                if entry.bound != Bound::Exact && self.worth(data) > entry.depth + KEPT_ABOVE {
                    return;
                }
                worst = way;
                break;
            }
            let worth = self.worth(data);
            if worth < least {
                (worst, least) = (way, worth);
            }
        }
        let data = entry.pack(self.generation);
        words[2 * worst].store(key ^ data, Ordering::Relaxed);
        words[2 * worst + 1].store(data, Ordering::Relaxed);
    }

    fn worth(&self, data: u64) -> i32 {
        if data == 0 {
            return i32::MIN;
        }
        let age = (GENERATIONS + self.generation - (data >> 58) as u8) % GENERATIONS;
        (data >> 48 & 255) as i32 - 4 * i32::from(age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry = Entry {
        mv: PackedMove(0x1234),
        score: -321,
        evaluation: Some(17),
        depth: 9,
        bound: Bound::Lower,
    };

    #[test]
    fn entries_come_back() {
        let table = Table::new(0);
        for bound in [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact] {
            for evaluation in [None, Some(0), Some(-20_000)] {
                let entry = Entry {
                    bound,
                    evaluation,
                    ..ENTRY
                };
                table.store(42, &entry);
                assert_eq!(table.probe(42), Some(entry));
            }
        }
        assert_eq!(table.probe(43), None);
    }

    #[test]
    fn halves_of_two_entries_are_none() {
        let table = Table::new(0);
        table.store(42, &ENTRY);
        let Bucket(words) = &table.buckets[0];
        let other = Entry { score: 5, ..ENTRY }.pack(0);
        for way in 0..WAYS {
            words[2 * way + 1].store(other, Ordering::Relaxed);
        }
        assert_eq!(table.probe(42), None);
    }

    #[test]
    fn shallow_entries_make_room_and_old_ones_first() {
        let mut table = Table::new(0);
        let at_depth = |depth| Entry { depth, ..ENTRY };
        for key in 1..=4 {
            table.store(key, &at_depth(10 + key as i32));
        }
        table.store(5, &at_depth(1));
        assert_eq!(table.probe(1), None, "the shallowest one");
        assert_eq!(table.probe(5), Some(at_depth(1)));
        for _ in 0..8 {
            table.next_generation();
        }
        table.store(6, &at_depth(1));
        table.store(7, &at_depth(1));
        assert_eq!(table.probe(6), Some(at_depth(1)), "an old one was replaced");
        table.clear(u64::MAX);
        assert!((1..=7).all(|key| table.probe(key).is_none()));
    }

    #[test]
    fn a_deep_entry_stays_unless_the_new_one_is_exact() {
        let table = Table::new(0);
        let at_depth = |depth, bound| Entry {
            depth,
            bound,
            ..ENTRY
        };
        table.store(1, &at_depth(12, Bound::Lower));
        table.store(1, &at_depth(2, Bound::Upper));
        assert_eq!(table.probe(1), Some(at_depth(12, Bound::Lower)));
        table.store(1, &at_depth(2, Bound::Exact));
        assert_eq!(table.probe(1), Some(at_depth(2, Bound::Exact)));
    }

    #[test]
    fn wins_count_from_the_node() {
        for score in [WIN - 7, 7 - WIN, 250] {
            let entry = Entry {
                score: to_node(score, 5),
                ..ENTRY
            };
            assert_eq!(from_node(entry.score, 5), score);
        }
        assert_eq!(to_node(WIN - 7, 5), WIN - 2);
    }
}
