//! One analyzer for each game of a player.

use engine::{Analyzer, Findings, PlayerError, Task};
use rules::Variant;

/// Analyzes each game with its own analyzer.
pub(crate) struct PerVariant {
    name: String,
    analyzers: Vec<(Variant, Box<dyn Analyzer>)>,
}

impl PerVariant {
    pub(crate) fn new(name: String, analyzers: Vec<(Variant, Box<dyn Analyzer>)>) -> PerVariant {
        PerVariant { name, analyzers }
    }
}

impl Analyzer for PerVariant {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        let variant = task.game.position().variant();
        let analyzer = self.analyzers.iter_mut().find(|(game, _)| *game == variant);
        let (_, analyzer) = analyzer.ok_or_else(|| PlayerError::Broken {
            name: self.name.clone(),
            reason: format!("it does not play {variant}").into(),
        })?;
        analyzer.analyze(task, report)
    }
}
