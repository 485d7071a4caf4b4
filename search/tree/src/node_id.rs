//! The place of a node in the arena.

use std::num::NonZeroU32;

/// The places of a node and of its edges: in a large tree both come from far away, and neither has
/// to wait for the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId {
    /// Index plus one, so that no node takes no more memory than one.
    number: NonZeroU32,
    first_edge: u32,
}

impl NodeId {
    /// The node of an empty tree that is added next.
    pub(crate) const FIRST: NodeId = NodeId {
        number: NonZeroU32::MIN,
        first_edge: 0,
    };

    /// The node at this index, whose edges begin at that one.
    pub(crate) fn at(index: usize, first_edge: usize) -> NodeId {
        NodeId {
            number: NonZeroU32::MIN.saturating_add(index as u32),
            first_edge: first_edge as u32,
        }
    }

    pub(crate) fn index(self) -> usize {
        self.number.get() as usize - 1
    }

    pub(crate) fn first_edge(self) -> usize {
        self.first_edge as usize
    }
}
