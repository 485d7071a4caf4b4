//! A limit that belongs to a player.

use engine::{PlayerError, Task, Thinker, Thought};

/// A thinker that never looks at more than so many nodes.
pub(super) struct AtMost {
    thinker: Box<dyn Thinker>,
    nodes: u64,
}

impl AtMost {
    pub(super) fn new(thinker: Box<dyn Thinker>, nodes: u64) -> AtMost {
        AtMost { thinker, nodes }
    }
}

impl Thinker for AtMost {
    fn think(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, PlayerError> {
        let mut task = task.clone();
        let asked = task.watch.limits.nodes.unwrap_or(u64::MAX);
        task.watch.limits.nodes = Some(self.nodes.min(asked));
        self.thinker.think(&task, report)
    }
}
