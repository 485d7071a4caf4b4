//! Different players for different games.

use engine::{Analyzer, Findings, PlayerError, Task};
use rules::Variant;

/// Thinks about each game with the analyzer for it.
pub(super) struct ByGame {
    name: String,
    analyzers: Vec<(Variant, Box<dyn Analyzer>)>,
}

impl ByGame {
    pub(super) fn new(name: String, analyzers: Vec<(Variant, Box<dyn Analyzer>)>) -> ByGame {
        ByGame { name, analyzers }
    }
}

impl Analyzer for ByGame {
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
