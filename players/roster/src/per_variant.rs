//! One analyzer for each game of a player.

use engine::{Analyzer, Findings, PlayerError, Task};
use rules::Variant;

use crate::Result;
use crate::loaded::LoadedPlayer;

/// Analyzes each game with the analyzer for it.
pub(crate) struct PerVariant {
    name: String,
    analyzers: Vec<(Variant, Box<dyn Analyzer>)>,
}

impl PerVariant {
    /// The analyzers that `make` makes for the games of a player, where it makes one.
    pub(crate) fn of(
        player: &LoadedPlayer,
        make: impl Fn(Variant) -> Result<Option<Box<dyn Analyzer>>>,
    ) -> Result<PerVariant> {
        let made = player
            .games
            .iter()
            .map(|&game| Ok(Some((game, make(game)?))));
        let made: Vec<_> = made
            .map(|made| made.map(|made| made.and_then(|(game, one)| Some((game, one?)))))
            .collect::<Result<_>>()?;
        Ok(PerVariant {
            name: player.name.clone(),
            analyzers: made.into_iter().flatten().collect(),
        })
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
