//! One analyzer for each game of a player.

use std::collections::HashMap;

use engine::{Analyzer, Findings, PlayerError, Task};
use rules::Variant;

/// Analyzes each game with its own analyzer.
pub(crate) struct PerVariant {
    /// The player.
    pub(crate) name: String,
    pub(crate) analyzers: HashMap<Variant, Box<dyn Analyzer>>,
    /// The games that were analyzed since the last [`forget`](Analyzer::forget): clearing the
    /// memory of all others takes longer than a small search.
    pub(crate) used: Vec<Variant>,
}

impl Analyzer for PerVariant {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let variant = task.game.position().variant();
        let analyzer = self.analyzers.get_mut(&variant);
        let analyzer = analyzer.ok_or_else(|| PlayerError::Broken {
            name: self.name.clone(),
            reason: format!("it does not play {variant}").into(),
        })?;
        if !self.used.contains(&variant) {
            self.used.push(variant);
        }
        analyzer.analyze(task, report)
    }

    fn forget(&mut self, nodes: u64) {
        for (variant, analyzer) in &mut self.analyzers {
            if self.used.contains(variant) {
                analyzer.forget(nodes);
            }
        }
        self.used.clear();
    }
}
