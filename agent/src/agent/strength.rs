//! Agents that are held back to a stated strength.

use engine::{Chooser, Player};
use types::{Handicap, Seed, Strength};

use super::{Agent, Options};
use crate::Error;

impl Agent {
    /// The same agent, which is worth so much; held back by the player that `hold` makes if a rating was asked for.
    pub(super) fn with_strength(
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
    pub fn elo_range(&self) -> Option<(f64, f64)> {
        self.strength.range()
    }

    /// Decides anew what an agent that is held back leaves to chance, see [`Options::seed`].
    pub fn reseed(&mut self, seed: u64) {
        self.seed = Seed::new(seed);
    }
}

impl Options {
    /// A source without what follows it, such as `,elo=1200,seed=7`, and the options with that.
    pub(super) fn with_suffix<'a>(&self, source: &'a str) -> Result<(&'a str, Options), Error> {
        let (mut options, mut rest) = (*self, source);
        while let Some((before, (name, value))) = rest
            .rsplit_once(',')
            .and_then(|(before, option)| Some((before, option.split_once('=')?)))
        {
            let refuse = |example| {
                Error::Limits(format!(
                    "{source}: {name}={value} is no number: write {example}"
                ))
            };
            match name {
                "elo" => options.elo = Some(value.parse().map_err(|_| refuse("elo=1200"))?),
                "seed" => options.seed = value.parse().map_err(|_| refuse("seed=7"))?,
                _ => break,
            }
            rest = before;
        }
        Ok((rest, options))
    }
}
