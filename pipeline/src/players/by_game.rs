//! Different players for different games.

use engine::{Analyzer, Findings, PlayerError, SearchInfo, Task};
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

    fn of(&mut self, task: &Task<'_>) -> Result<&mut dyn Analyzer, PlayerError> {
        let variant = task.game.position().variant();
        let analyzer = self.analyzers.iter_mut().find(|(game, _)| *game == variant);
        let (_, analyzer) = analyzer.ok_or_else(|| PlayerError::Broken {
            name: self.name.clone(),
            reason: format!("it does not play {variant}").into(),
        })?;
        Ok(analyzer)
    }
}

impl Analyzer for ByGame {
    fn analyze(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<SearchInfo, PlayerError> {
        self.of(task)?.analyze(task, report)
    }

    fn analyze_lines(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Findings),
    ) -> Result<Findings, PlayerError> {
        self.of(task)?.analyze_lines(task, report)
    }
}
