//! A limit that belongs to a player.

use engine::{Analyzer, Findings, PlayerError, Task};

/// An analyzer that never looks at more than so many nodes.
pub(super) struct AtMost {
    analyzer: Box<dyn Analyzer>,
    nodes: u64,
}

impl AtMost {
    pub(super) fn new(analyzer: Box<dyn Analyzer>, nodes: u64) -> AtMost {
        AtMost { analyzer, nodes }
    }
}

impl Analyzer for AtMost {
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
}
