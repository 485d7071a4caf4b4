//! Different players for different games.

use engine::{PlayerError, Task, Thinker, Thought};
use rules::Variant;

/// Thinks about each game with the thinker for it.
pub(super) struct ByGame {
    name: String,
    thinkers: Vec<(Variant, Box<dyn Thinker>)>,
}

impl ByGame {
    pub(super) fn new(name: String, thinkers: Vec<(Variant, Box<dyn Thinker>)>) -> ByGame {
        ByGame { name, thinkers }
    }
}

impl Thinker for ByGame {
    fn think(
        &mut self,
        task: &Task<'_>,
        report: &mut dyn FnMut(&Thought),
    ) -> Result<Thought, PlayerError> {
        let variant = task.game.position().variant();
        let thinker = self.thinkers.iter_mut().find(|(game, _)| *game == variant);
        let (_, thinker) = thinker.ok_or_else(|| PlayerError::Broken {
            name: self.name.clone(),
            reason: format!("it does not play {variant}").into(),
        })?;
        thinker.think(task, report)
    }
}
