//! Node identifiers.

use std::num::NonZeroU32;

/// The indices of a node and of its first edge. Holding both lets a large tree fetch the two from
/// memory in parallel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId {
    /// Index plus one, so that `Option<NodeId>` takes no extra memory.
    number: NonZeroU32,
    first_edge: u32,
}

impl NodeId {
    /// The first node of an empty tree.
    pub(crate) const FIRST: NodeId = NodeId {
        number: NonZeroU32::MIN,
        first_edge: 0,
    };

    /// The node at `index`, whose edges start at `first_edge`.
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
