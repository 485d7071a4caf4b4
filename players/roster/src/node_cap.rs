//! A node limit that belongs to a player.

use engine::{Analyzer, Findings, PlayerError, Task};

/// An analyzer with a node limit of its own.
pub(crate) struct NodeCap {
    pub(crate) analyzer: Box<dyn Analyzer>,
    pub(crate) nodes: u64,
}

impl Analyzer for NodeCap {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let mut task = task.clone();
        let asked = task.stopper.limits.nodes.unwrap_or(u64::MAX);
        task.stopper.limits.nodes = Some(self.nodes.min(asked));
        self.analyzer.analyze(&task, report)
    }

    fn forget(&mut self, nodes: u64) {
        self.analyzer.forget(nodes.min(self.nodes));
    }
}
