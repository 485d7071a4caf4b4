//! Leaves of one search that are evaluated together.

use std::ops::Range;

use crate::Batch;
use crate::backup::Followed;
use crate::node_id::NodeId;

/// Leaves on their way: [`Search::gather`] finds them, an evaluator answers the batch, [`Search::land`] backs the
/// answers up. A search can have several flights under way. Buffers keep their memory.
///
/// [`Search::gather`]: crate::Search::gather
/// [`Search::land`]: crate::Search::land
#[derive(Default)]
pub struct Flight {
    /// What the evaluator is asked.
    pub batch: Batch,
    pub(crate) landings: Vec<Landing>,
    /// All paths, one after the other.
    pub(crate) steps: Vec<Followed>,
}

/// Where simulations wait.
pub(crate) struct Landing {
    /// The leaf to evaluate for one of them; none if that is under way already.
    pub(crate) leaf: Option<NodeId>,
    /// The path to it.
    pub(crate) steps: Range<usize>,
    /// Simulations that went it.
    pub(crate) n: u32,
}

impl Flight {
    /// A flight without leaves.
    pub fn new() -> Flight {
        Flight::default()
    }

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
