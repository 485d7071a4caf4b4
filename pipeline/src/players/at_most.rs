//! A limit that belongs to a player.

use engine::{Analyzer, Findings, PlayerError, SearchInfo, Task};

/// A analyzer that never looks at more than so many nodes.
pub(super) struct AtMost {
    analyzer: Box<dyn Analyzer>,
    nodes: u64,
}

impl AtMost {
    pub(super) fn new(analyzer: Box<dyn Analyzer>, nodes: u64) -> AtMost {
        AtMost { analyzer, nodes }
    }

    fn limited<'a>(&self, task: &Task<'a>) -> Task<'a> {
        let mut task = task.clone();
        let asked = task.stopper.limits.nodes.unwrap_or(u64::MAX);
        task.stopper.limits.nodes = Some(self.nodes.min(asked));
        task
    }
}

impl Analyzer for AtMost {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<SearchInfo, PlayerError> {
        let task = self.limited(task);
        self.analyzer.analyze(&task, report)
    }

    fn analyze_lines(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let task = self.limited(task);
        self.analyzer.analyze_lines(&task, report)
    }
}
