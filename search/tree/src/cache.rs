//! A cache of evaluations.

use types::Wdl;

use crate::prefetch::prefetch;
use crate::{Batch, Evaluator, EvaluatorError, Request};

/// An evaluator with a cache of its replies.
///
/// Searches reach the same positions repeatedly: the next search of a game starts in the tree of
/// the last one, games share openings, and moves transpose. Cached replies are identical to the
/// inner evaluator's bit for bit, because a reply is a pure function of its request.
///
/// The key consists of the position's 64-bit hash, the no-progress count and the repetitions; the
/// move number has no influence. A wrong reply requires two positions with equal hashes in the same
/// slot; the probability is negligible.
pub struct Cached<E> {
    inner: E,
    slots: Vec<Slot>,
    /// [request] the cache key.
    keys: Vec<Key>,
    /// The requests not found in the cache.
    misses: Batch,
    /// [miss] its index in the batch.
    indices: Vec<usize>,
    n_requests: u64,
    n_misses: u64,
}

/// Two cache lines.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Slot {
    key: Key,
    /// The number of moves with logits; 0 in an empty slot.
    n_moves: u32,
    value: Wdl,
    logits: [f32; MAX_MOVES],
}

/// Positions with more moves, which are very rare, are not cached.
const MAX_MOVES: usize = 24;

/// Everything that a reply depends on.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Key {
    hash: u64,
    no_progress: u16,
    repetitions: u16,
}

impl Key {
    fn new(request: &Request<'_>) -> Key {
        Key {
            hash: request.position.hash(),
            no_progress: request.position.no_progress() as u16,
            repetitions: request.repetitions as u16,
        }
    }

    /// The slot of this key among `n_slots`, a power of two.
    fn slot(&self, n_slots: usize) -> usize {
        let counters = u64::from(self.no_progress) << 16 | u64::from(self.repetitions);
        let mixed = (self.hash ^ counters).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (n_slots - 1)
    }
}

impl<E: Evaluator> Cached<E> {
    /// A cache of `memory` bytes, 128 per position; a smaller one stores nothing.
    pub fn new(inner: E, memory: usize) -> Cached<E> {
        let n_slots = match memory / size_of::<Slot>() {
            0 => 0,
            fitting => 1 << fitting.ilog2(),
        };
        let empty = Slot {
            key: Key::default(),
            n_moves: 0,
            value: Wdl::DRAW,
            logits: [0.0; MAX_MOVES],
        };
        Cached {
            inner,
            slots: vec![empty; n_slots],
            keys: Vec::new(),
            misses: Batch::new(),
            indices: Vec::new(),
            n_requests: 0,
            n_misses: 0,
        }
    }

    /// The hit rate over all requests so far, 0 to 1.
    pub fn hit_rate(&self) -> f64 {
        match self.n_requests {
            0 => 0.0,
            n_requests => 1.0 - self.n_misses as f64 / n_requests as f64,
        }
    }

    /// Answers requests from the cache and collects the misses.
    fn recall(&mut self, batch: &mut Batch) {
        self.keys.clear();
        self.misses.clear();
        self.indices.clear();
        // Slots are far apart in memory, so prefetch them all before reading the first.
        for index in 0..batch.len() {
            let key = Key::new(&batch.request(index));
            prefetch(&self.slots, key.slot(self.slots.len()));
            self.keys.push(key);
        }
        for (index, &key) in self.keys.iter().enumerate() {
            let (request, reply) = batch.entry_mut(index);
            let slot = &self.slots[key.slot(self.slots.len())];
            if slot.n_moves as usize == request.moves.len() && slot.key == key {
                *reply.value = slot.value;
                reply
                    .logits
                    .copy_from_slice(&slot.logits[..request.moves.len()]);
            } else {
                self.misses
                    .push(request.position, request.repetitions, request.moves);
                self.indices.push(index);
            }
        }
    }

    /// Copies new replies into the batch and the cache.
    fn learn(&mut self, batch: &mut Batch) {
        for (miss, &index) in self.indices.iter().enumerate() {
            let (value, logits) = (self.misses.wdl(miss), self.misses.logits(miss));
            let (_, reply) = batch.entry_mut(index);
            *reply.value = value;
            reply.logits.copy_from_slice(logits);
            if logits.len() <= MAX_MOVES {
                let key = self.keys[index];
                let n_slots = self.slots.len();
                let slot = &mut self.slots[key.slot(n_slots)];
                slot.key = key;
                slot.n_moves = logits.len() as u32;
                slot.value = value;
                slot.logits[..logits.len()].copy_from_slice(logits);
            }
        }
        self.n_requests += batch.len() as u64;
        self.n_misses += self.misses.len() as u64;
    }
}

impl<E: Evaluator> Evaluator for Cached<E> {
    fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
        if self.slots.is_empty() {
            return self.inner.evaluate(batch);
        }
        self.recall(batch);
        if !self.misses.is_empty() {
            self.inner.evaluate(&mut self.misses)?;
        }
        self.learn(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Game, Position, Variant};

    /// Replies with a running request number, so that a repeated answer is visible.
    #[derive(Default)]
    struct Counting {
        n_requests: u32,
    }

    impl Evaluator for Counting {
        fn evaluate(&mut self, batch: &mut Batch) -> Result<(), EvaluatorError> {
            for index in 0..batch.len() {
                self.n_requests += 1;
                let (value, logits) = batch.reply_mut(index);
                value.win = self.n_requests as f32;
                logits.fill(-(self.n_requests as f32));
            }
            Ok(())
        }
    }

    fn ask(cached: &mut Cached<Counting>, requests: &[(&Position, u32)]) -> Vec<f32> {
        let mut batch = Batch::new();
        for (position, repetitions) in requests {
            batch.push(position, *repetitions, &position.legal_moves());
        }
        cached.evaluate(&mut batch).expect("never fails");
        (0..batch.len())
            .map(|index| {
                let win = batch.wdl(index).win;
                assert!(batch.logits(index).iter().all(|logit| *logit == -win));
                win
            })
            .collect()
    }

    #[test]
    fn what_is_known_is_not_asked_again() {
        let start = Position::start(Variant::GAMES[0]);
        let next = start.play(start.legal_moves()[0]);
        let mut cached = Cached::new(Counting::default(), 1 << 16);
        assert_eq!(ask(&mut cached, &[(&start, 0)]), [1.0]);
        assert_eq!(ask(&mut cached, &[(&next, 0), (&start, 0)]), [2.0, 1.0]);
        assert_eq!(ask(&mut cached, &[(&start, 0), (&next, 0)]), [1.0, 2.0]);
        assert_eq!(cached.hit_rate(), 0.6);
    }

    #[test]
    fn positions_that_differ_in_a_counter_are_apart() {
        let mut game = Game::new(Position::from_fen(Variant::GAMES[0], "W:WK1:BK32").unwrap());
        let before = *game.position();
        for mv in ["1-6", "32-28", "6-1", "28-32"] {
            let mv = game.position().parse_move(mv).expect("a legal move");
            game.play(mv);
        }
        let after = game.position();
        assert_eq!(before.hash(), after.hash());
        assert_ne!(before.no_progress(), after.no_progress());
        let mut cached = Cached::new(Counting::default(), 1 << 16);
        let requests = [(&before, 0), (after, 0), (after, 1)];
        assert_eq!(ask(&mut cached, &requests), [1.0, 2.0, 3.0]);
        assert_eq!(ask(&mut cached, &requests), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_full_memory_forgets_and_none_remembers_nothing() {
        let start = Position::start(Variant::GAMES[0]);
        let nexts: Vec<Position> = start
            .legal_moves()
            .iter()
            .map(|mv| start.play(*mv))
            .collect();
        let requests: Vec<_> = nexts.iter().map(|next| (next, 0)).collect();
        let mut one_slot = Cached::new(Counting::default(), size_of::<Slot>());
        ask(&mut one_slot, &requests);
        let last = nexts.len() as f32;
        assert_eq!(ask(&mut one_slot, &requests[nexts.len() - 1..]), [last]);
        assert_eq!(ask(&mut one_slot, &requests[..1]), [last + 1.0]);
        let mut none = Cached::new(Counting::default(), 0);
        assert_eq!(ask(&mut none, &requests[..1]), [1.0]);
        assert_eq!(ask(&mut none, &requests[..1]), [2.0]);
    }

    #[test]
    fn a_slot_is_two_cache_lines() {
        assert_eq!(size_of::<Slot>(), 128);
    }
}
