//! Agents that are held back to a stated strength.

use engine::{Chooser, Player};
use types::{Handicap, Seed, Strength};

use super::Member;
use crate::{Error, Options};

impl Member {
    /// The same agent, which is worth so much; held back by the player that `hold` makes if a rating was asked for.
    pub(crate) fn with_strength(
        mut self,
        strength: &Strength,
        options: &Options,
        hold: impl FnOnce(Handicap, &Self) -> Option<Box<dyn Player>>,
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
            self.held = hold(handicap, &self).map(Chooser);
        }
        Ok(self)
    }

    /// The ratings to which it can be held back, see [`Options::elo`]; nothing if they were not measured.
    pub(crate) fn elo_range(&self) -> Option<(f64, f64)> {
        self.strength.range()
    }

    /// Decides anew what an agent that is held back leaves to chance, see [`Options::seed`].
    pub(crate) fn reseed(&mut self, seed: u64) {
        self.seed = Seed::new(seed);
    }
}
