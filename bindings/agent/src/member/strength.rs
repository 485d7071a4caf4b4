//! Agents of limited strength.

use engine::{Chooser, Player};
use types::{Handicap, Seed, Strength};

use super::Member;
use crate::{Error, Options};

impl Member {
    /// Adds measured strengths to the agent; if a rating was requested, `limit` creates the player
    /// of limited strength.
    pub(crate) fn with_strength(
        mut self,
        strength: &Strength,
        options: &Options,
        limit: impl FnOnce(Handicap, &Self) -> Option<Box<dyn Player>>,
    ) -> Result<Self, Error> {
        self.strength.clone_from(strength);
        self.seed = Seed::new(options.seed);
        if let Some(elo) = options.elo {
            let name = || self.name.clone();
            if strength.is_empty() {
                return Err(Error::NotMeasured { name: name() });
            }
            let handicap = strength.handicap(elo);
            let handicap = handicap.map_err(|source| Error::Strength {
                name: name(),
                source,
            })?;
            self.limited = limit(handicap, &self).map(Chooser);
        }
        Ok(self)
    }
}
