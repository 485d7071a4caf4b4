//! Leaves of one search that are evaluated in one batch.

use std::ops::Range;

use crate::Batch;
use crate::backup::Followed;
use crate::node_id::NodeId;

/// A set of leaves in flight: [`Search::gather`] collects them, an evaluator answers the batch,
/// [`Search::land`] backs the replies up. A search can have several flights at once. Buffers keep
/// their capacity.
///
/// [`Search::gather`]: crate::Search::gather
/// [`Search::land`]: crate::Search::land
#[derive(Default)]
pub struct Flight {
    /// The requests to the evaluator.
    pub batch: Batch,
    pub(crate) landings: Vec<Landing>,
    /// The concatenated paths.
    pub(crate) steps: Vec<Followed>,
}

/// A leaf with simulations waiting for it.
pub(crate) struct Landing {
    /// The leaf that this flight evaluates, or `None` if it was already in flight.
    pub(crate) leaf: Option<NodeId>,
    /// The path to the leaf, as a range of `Flight::steps`.
    pub(crate) steps: Range<usize>,
    /// The number of simulations on this path.
    pub(crate) n: u32,
}

impl Flight {
    pub(crate) fn push(&mut self, leaf: Option<NodeId>, path: &[Followed], n: u32) {
        let first = self.steps.len();
        self.steps.extend_from_slice(path);
        let steps = first..self.steps.len();
        self.landings.push(Landing { leaf, steps, n });
    }

    pub(crate) fn clear(&mut self) {
        self.batch.clear();
        self.landings.clear();
        self.steps.clear();
    }
}
