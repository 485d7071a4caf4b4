//! The map from positions to nodes.

use crate::node_id::NodeId;
use crate::prefetch::prefetch;

/// A hash map from position hashes to nodes that supports prefetching.
pub(crate) struct Known {
    /// The length is a power of two, about half of the slots are in use at most; empty before the
    /// first entry. Linear probing: an entry is in the first free slot from its hash's slot on.
    slots: Vec<Slot>,
    n_entries: usize,
    most_slots: usize,
}

/// Free without a node.
#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u64,
    node: Option<NodeId>,
}

impl Known {
    const LEAST_SLOTS: usize = 64;
    /// The growth factor when slots run short: moving entries takes milliseconds, so grow rarely.
    const GROWTH: usize = 16;

    /// An empty map for at most `n_entries`.
    pub(crate) fn with_capacity(n_entries: usize) -> Known {
        Known {
            slots: Vec::new(),
            n_entries: 0,
            most_slots: (2 * n_entries).next_power_of_two().max(Known::LEAST_SLOTS),
        }
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.n_entries = 0;
    }

    /// Prefetches the slot of a hash.
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(&self.slots, self.first_slot(hash));
    }

    /// The node of a position hash.
    pub(crate) fn get(&self, hash: u64) -> Option<NodeId> {
        match self.slots.is_empty() {
            true => None,
            false => self.slots[self.slot(hash)].node,
        }
    }

    /// Inserts an entry, replacing one with the same hash.
    pub(crate) fn insert(&mut self, hash: u64, node: NodeId) {
        let n_slots = self.slots.len();
        if 2 * self.n_entries >= n_slots && n_slots < self.most_slots {
            self.grow();
        }
        self.put(hash, node);
    }

    fn grow(&mut self) {
        let n_slots = (Known::GROWTH * self.slots.len()).clamp(Known::LEAST_SLOTS, self.most_slots);
        // Reuses the memory of an earlier search.
        let before = self.slots.clone();
        self.clear();
        self.slots.resize(n_slots, Slot::default());
        for Slot { hash, node } in before {
            if let Some(node) = node {
                self.put(hash, node);
            }
        }
    }

    /// Renumbers all nodes and removes entries whose node is gone.
    ///
    /// With linear probing an entry never skips a free slot. Processing in slot order from a free
    /// slot therefore reinserts everything an entry had skipped before the entry itself, so it
    /// finds a slot among those or its old one.
    pub(crate) fn renumber(&mut self, moved: impl Fn(NodeId) -> Option<NodeId>) {
        let n_slots = self.slots.len();
        let free = self.slots.iter().position(|slot| slot.node.is_none());
        self.n_entries = 0;
        for at in free.map_or(0..0, |free| free..free + n_slots) {
            let slot = &mut self.slots[at & (n_slots - 1)];
            let Slot { hash, node } = std::mem::take(slot);
            if let Some(node) = node.and_then(&moved) {
                self.put(hash, node);
            }
        }
    }

    /// Inserts an entry into a map with a free slot.
    fn put(&mut self, hash: u64, node: NodeId) {
        let slot = self.slot(hash);
        self.n_entries += usize::from(self.slots[slot].node.is_none());
        self.slots[slot] = Slot {
            hash,
            node: Some(node),
        };
    }

    /// The slot of a hash, taken or free, in a map that is not empty.
    fn slot(&self, hash: u64) -> usize {
        let mut slot = self.first_slot(hash);
        while self.slots[slot].node.is_some() && self.slots[slot].hash != hash {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & self.slots.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn it_is_a_map() {
        let mut known = Known::with_capacity(1000);
        let mut expected = HashMap::new();
        assert_eq!(known.get(0), None);
        // Many hashes are equal, and most want the same slots.
        for number in 0..1000 {
            let (hash, node) = (number * number % 701 * 64, NodeId::at(number as usize, 0));
            known.insert(hash, node);
            expected.insert(hash, node);
        }
        let entries = |known: &Known| -> HashMap<u64, NodeId> {
            let hashes = 0..701 * 64;
            hashes
                .filter_map(|hash| Some((hash, known.get(hash)?)))
                .collect()
        };
        assert_eq!(entries(&known), expected);
        let moved = |node: NodeId| {
            node.index()
                .is_multiple_of(3)
                .then_some(NodeId::at(node.index() / 3, 7))
        };
        known.renumber(moved);
        expected = expected
            .into_iter()
            .filter_map(|(hash, node)| Some((hash, moved(node)?)))
            .collect();
        assert_eq!(entries(&known), expected);
        assert_eq!(known.n_entries, expected.len());
        known.clear();
        assert_eq!(entries(&known), HashMap::new());
    }
}
